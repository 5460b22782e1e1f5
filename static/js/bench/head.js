// How high the head of a bench is: in small windows the work fills what is left of them (CSS).
export function measureHead() {
  const head = document.querySelector(".workbench > .bench-head");
  if (head) new ResizeObserver(() => head.parentElement.style.setProperty("--head", `${head.offsetHeight}px`)).observe(head);
}
