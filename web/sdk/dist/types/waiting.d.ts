/** Waits for a service that is still loading its models. */
/**
 * Resolves when the service takes calls; `told` hears each time why it does not yet.
 *
 * Rejects with a `VoicePeerError`: `at_capacity` at once, others when it takes too long.
 */
export declare function waitForService(service: URL, told: (reason: string) => void, signal: AbortSignal): Promise<void>;
