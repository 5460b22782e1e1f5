// Says when a script of the page, or a module that it imports, did not come: links and forms work, keys and saving at once don't.
{
  const worded = (text) => JSON.parse(document.getElementById("words")?.textContent ?? "{}")[text] ?? text; // no module is sure to be here
  const say = () => {
    const notice = document.createElement("p");
    notice.className = "message error";
    notice.textContent = worded("A part of this page did not load. Links and forms work, but keys don't, and nothing is saved by itself. Reload the page.");
    document.getElementById("messages").append(notice);
  };
  let isSaid = false;
  addEventListener("error", ({ target }) => {
    if (isSaid || target.tagName !== "SCRIPT") return;
    isSaid = true;
    if (document.readyState === "loading") addEventListener("DOMContentLoaded", say);
    else say();
  }, { capture: true }); // such an event goes to the script alone
}
