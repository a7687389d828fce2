/** Where a service is, out of what an application says about it. Pure. */

import { misuse } from "./misuse.js";

const SCHEMES: Readonly<Record<string, string>> = { "http:": "http:", "https:": "https:", "ws:": "http:", "wss:": "https:" };

/**
 * The service's address, whose path ends in a slash, so that paths can be put behind it; `base` is the
 * page's. With a slash at its end or without one it is the same service. Throws `misuse`.
 */
export function serviceUrl(given: unknown, base: string): URL {
  const text = given instanceof URL ? given.href : given;
  const url = typeof text === "string" ? parsed(text, base) : null;
  const scheme = SCHEMES[url?.protocol ?? ""];
  if (url === null || scheme === undefined) {
    throw misuse("new VoicePeer", '"url" has to be the address of the service, of http or https');
  }
  // Of its own, for the setter of `protocol` goes by rules of its own.
  const plain = new URL(`${scheme}${url.href.slice(url.protocol.length)}`);
  plain.search = plain.hash = "";
  if (!plain.pathname.endsWith("/")) plain.pathname += "/";
  return plain;
}

function parsed(text: string, base: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

/** Where a service's socket is. */
export function socketUrl(service: URL): URL {
  const url = new URL("ws", service);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.hash = url.search = "";
  return url;
}

/** Where a service sends whoever joins a room that another one has; `null` for where nobody should go. */
export function elsewhere(service: URL, address: string): URL | null {
  const url = parsed(address, service.href);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && service.protocol === "http:");
  return isSafe ? serviceUrl(url, service.href) : null;
}
