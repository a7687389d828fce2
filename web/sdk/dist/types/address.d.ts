/** Where a service is, out of what an application says about it. Pure. */
/**
 * The service's address, whose path ends in a slash, so that paths can be put behind it; `base` is the
 * page's. With a slash at its end or without one it is the same service. Throws `misuse`.
 */
export declare function serviceUrl(given: unknown, base: string): URL;
/** Where a service's socket is. */
export declare function socketUrl(service: URL): URL;
/** Where a service sends whoever joins a room that another one has; `null` for where nobody should go. */
export declare function elsewhere(service: URL, address: string): URL | null;
