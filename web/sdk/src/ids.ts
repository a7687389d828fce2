/** Random identifiers. */

/** 32 hexadecimal digits that nobody can guess; also where `crypto.randomUUID` is missing (plain HTTP). */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
