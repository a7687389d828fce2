/** Promises that are settled from outside, and such that give up. */

/** A promise with the functions that settle it. */
export interface Deferred<Value> {
  promise: Promise<Value>;
  resolve: (value: Value) => void;
  reject: (error: unknown) => void;
}

/** A promise whose rejection nobody has to look at. */
export function deferred<Value>(): Deferred<Value> {
  let settle: Pick<Deferred<Value>, "resolve" | "reject"> | undefined;
  const promise = new Promise<Value>((resolve, reject) => { settle = { resolve, reject }; });
  promise.catch(() => undefined);
  return { promise, ...(settle as NonNullable<typeof settle>) };
}

/** `promise`, or the rejection with `makeError()` if it takes longer than `timeoutMs`. */
export function withTimeout<Value>(
  promise: Promise<Value>, timeoutMs: number, makeError: () => Error,
): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(makeError()), timeoutMs);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Wait. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => { setTimeout(resolve, ms); });
}
