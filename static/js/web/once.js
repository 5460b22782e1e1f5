// A form that is answered with a file leaves its page as it is: once sent, its buttons go and what is said after it shows.
// No module: it stands before the form does, so that nobody presses the button before it listens.
document.addEventListener("submit", ({ target: form }) => {
  if (!form.dataset.once) return;
  setTimeout(() => {
    const said = document.getElementById(form.dataset.once);
    form.hidden = true;
    said.hidden = false;
    said.focus();
  });
});
