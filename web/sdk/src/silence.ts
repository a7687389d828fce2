/** Notices a microphone that gives nothing at all: muted by a switch, or by the system. Pure. */

const SILENT_AFTER_MS = 2_000;

/** Told of every look at the microphone. */
export class SilenceWatch {
  #zeroSince: number | null = null;
  #silent = false;

  /** Whether the microphone counts as silent. */
  get isSilent(): boolean {
    return this.#silent;
  }

  /**
   * `isZero`: every sample since the look before was digital silence, which no open microphone gives.
   * `now` in ms. What has changed by that, if anything.
   */
  look(isZero: boolean, now: number): "silent" | "heard" | null {
    if (!isZero) {
      const wasSilent = this.#silent;
      this.reset();
      return wasSilent ? "heard" : null;
    }
    this.#zeroSince ??= now;
    if (this.#silent || now - this.#zeroSince < SILENT_AFTER_MS) return null;
    this.#silent = true;
    return "silent";
  }

  /** Forget what was seen, for another microphone. */
  reset(): void {
    this.#zeroSince = null;
    this.#silent = false;
  }
}
