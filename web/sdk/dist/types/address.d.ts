/** Where a service is, out of what an application says about it. Pure. */
/**
 * The service's address, whose path ends in a slash, so that paths can be put behind it; `base` is the
 * page's. With a slash at its end or without one it is the same service. Throws `misuse`.
 */
export declare function serviceUrl(given: unknown, base: string): URL;
