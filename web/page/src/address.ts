/** What the page's address says. */

/** The room that an address names: `null` where it names none, `undefined` where it cannot be one. */
export function roomOf(search: string): string | null | undefined {
  const asked = new URLSearchParams(search).get("room");
  if (asked === null) return null;
  return /^[\w.-]{1,64}$/.test(asked) ? asked : undefined;
}
