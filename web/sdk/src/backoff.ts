/** When to try again. */

const FIRST_MS = 600;
const MOST_MS = 5_000;

/**
 * Delays that double, each drawn between half and all of its length, so that the clients of a
 * service that was restarted do not come back all at once.
 */
export class Backoff {
  readonly #until: number;
  readonly #random: () => number;
  #nextMs = FIRST_MS;

  /** Until `budgetMs` after `now` (ms); `random` gives 0 to under 1. */
  constructor(now: number, budgetMs: number, random: () => number = Math.random) {
    this.#until = now + budgetMs;
    this.#random = random;
  }

  /** How long to wait before the next attempt, in ms; `null` when it is time to give up. */
  next(now: number): number | null {
    if (now >= this.#until) return null;
    const delayMs = this.#nextMs * (0.5 + 0.5 * this.#random());
    this.#nextMs = Math.min(MOST_MS, 2 * this.#nextMs);
    return delayMs;
  }
}
