/** Waits for a service that is still loading its models. */
/**
 * Resolves when the service takes calls; `told` hears each time why it does not yet.
 *
 * Rejects with a `VoicePeerError`: at once `no_service` where something else answers, `unreachable` or
 * `timeout` where nothing does, and what a service refuses; `not_ready` when it takes too long.
 */
export declare function waitForService(service: URL, told: (reason: string) => void, signal: AbortSignal): Promise<void>;
