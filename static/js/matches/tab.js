// Tab goes from string to string, and on the last one out of the response; Enter on a nugget goes on, as elsewhere.
export function startTab(bench, { strings, lookedAt }) {
  bench.addEventListener("keydown", (event) => {
    const isNugget = event.target.matches?.("[data-nugget] button");
    if (event.key === "Enter" && isNugget) {
      event.preventDefault();
      lookedAt(event.target, "key");
    } else if (event.key === "Tab" && strings.current && (isNugget || event.target.matches?.("[data-words]"))) {
      if (strings.step(event.shiftKey ? -1 : 1)) event.preventDefault();
    }
  });
}
