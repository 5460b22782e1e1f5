// Runs before the first paint, so that the page never flashes in the other theme.
{
  let theme = null;
  try { theme = localStorage.getItem("assay.theme"); } catch { /* storage is off: as the system */ }
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}
