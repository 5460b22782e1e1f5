// A long list comes with its page in part. The rest is fetched before a script looks at the list, so that it finds every line.
const AGAIN = 3000;

/** Put the whole list into a bench that holds a part of it; whether it is whole now. */
export async function fetchRest(bench) {
  const list = bench.querySelector("[data-rest]");
  if (!list) return true;
  try {
    const response = await fetch(list.dataset.rest, { headers: { "X-Fragment": "1" } });
    if (!response.ok || response.redirected) return false;
    const found = new DOMParser().parseFromString(await response.text(), "text/html");
    list.replaceWith(bench.ownerDocument.importNode(found.querySelector("[data-work-list]"), true));
    bench.querySelector("[data-part-of-list]").remove();
    return true;
  } catch {
    return false;
  }
}

/** The same for the bench of this page, asked again until it came. Meanwhile its links and forms work as without scripts. */
export async function awaitRest() {
  const bench = document.querySelector(".workbench");
  while (!(await fetchRest(bench))) {
    bench.querySelector("[data-did]").textContent = "The rest of the list is still coming.";
    await new Promise((done) => { setTimeout(done, AGAIN); });
  }
}
