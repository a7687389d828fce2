/** Promises that are settled from outside, and such that give up. */
/** A promise with the functions that settle it. */
export interface Deferred<Value> {
    promise: Promise<Value>;
    resolve: (value: Value) => void;
    reject: (error: unknown) => void;
}
/** A promise whose rejection nobody has to look at. */
export declare function deferred<Value>(): Deferred<Value>;
/** `promise`, or the rejection with `makeError()` if it takes longer than `timeoutMs`. */
export declare function withTimeout<Value>(promise: Promise<Value>, timeoutMs: number, makeError: () => Error): Promise<Value>;
/** Wait. */
export declare function sleep(ms: number): Promise<void>;
