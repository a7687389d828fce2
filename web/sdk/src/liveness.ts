/** Notices that the other side says nothing any more. Pure: time is an argument. */

const SILENCE_MS = 10_000;
/** Browsers let timers of hidden tabs sleep; what was not asked for meanwhile is not missing. */
const SLEPT_MS = 4_000;

/** Told of every tick of a timer and of every message that comes. */
export class Liveness {
  #heardAt: number;
  #tickedAt: number;

  constructor(now: number) {
    this.#heardAt = this.#tickedAt = now;
  }

  /** A message came. */
  heard(now: number): void {
    this.#heardAt = now;
  }

  /** Whether the connection counts as lost at this tick. */
  lost(now: number): boolean {
    if (now - this.#tickedAt > SLEPT_MS) this.#heardAt = now;
    this.#tickedAt = now;
    return now - this.#heardAt > SILENCE_MS;
  }
}
