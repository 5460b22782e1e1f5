// A form that is answered with a file leaves its page as it is: once sent, its buttons go and what is said after it shows.
for (const form of document.querySelectorAll("form[data-once]")) {
  const said = document.getElementById(form.dataset.once);
  form.addEventListener("submit", () => setTimeout(() => {
    form.hidden = true;
    said.hidden = false;
    said.focus();
  }));
}
