/** When to try again. */
/**
 * Delays that double, each drawn between half and all of its length, so that the clients of a
 * service that was restarted do not come back all at once.
 */
export declare class Backoff {
    #private;
    /** Until `budgetMs` after `now` (ms); `random` gives 0 to under 1. */
    constructor(now: number, budgetMs: number, random?: () => number);
    /** How long to wait before the next attempt, in ms; `null` when it is time to give up. */
    next(now: number): number | null;
}
