// After a form was refused: the focus goes to what says so, else to the first field that is wrong.
const SAYS_SO = 'main .notice.bad[role="alert"]:not(#run-check *)';

export function startErrors(root = document) {
  const summary = [...root.querySelectorAll(SAYS_SO)].find((each) => each.offsetParent);
  if (summary) summary.tabIndex = -1;
  (summary ?? root.querySelector('main [aria-invalid="true"]'))?.focus();
}
