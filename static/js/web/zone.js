// The time zone of this browser, in a cookie: a person's own day begins at their midnight, wherever the campaign is.
const YEAR = 365 * 24 * 3600;

export function tellZone() {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const isSecure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `assay-zone=${timeZone}; path=/; max-age=${YEAR}; samesite=lax${isSecure}`;
}
