/** Finds the moment at which a sound begins. Pure. */

import { levelDbfs } from "./level.js";

/** The quietest level of speech that a person hears. */
export const AUDIBLE_DBFS = -50;
const BLOCK_MS = 2;

/** So much silence parts a sound from the one before. */
const GAP_MS = 30;

/**
 * Offset of the first block of 2 ms at which a sound begins; -1 where none does. Unless it was `quiet`
 * before `samples`, what they begin with is the end of another sound.
 */
export function onset(samples: Float32Array, rateHz: number, quiet: boolean): number {
  const block = Math.max(1, Math.round((BLOCK_MS * rateHz) / 1000));
  let quietMs = quiet ? GAP_MS : 0;
  for (let at = 0; at + block <= samples.length; at += block) {
    if (levelDbfs(samples.subarray(at, at + block)) <= AUDIBLE_DBFS) quietMs += BLOCK_MS;
    else if (quietMs >= GAP_MS) return at;
    else quietMs = 0;
  }
  return -1;
}

/** Whether nothing in `samples` is audible. */
export function isQuiet(samples: Float32Array, rateHz: number): boolean {
  return onset(samples, rateHz, true) < 0;
}

/** How late what the service tells is to what is heard: messages overtake sound, which is buffered. */
export class HearingDelay {
  #ms = 60;

  /** The service's word that a sound was sent came at `toldAt`, the sound at `heardAt` (ms). */
  measured(toldAt: number, heardAt: number): void {
    const delayMs = Math.min(1_000, Math.max(0, heardAt - toldAt));
    this.#ms += 0.5 * (delayMs - this.#ms);
  }

  /** What to wait after the service's word, in ms. */
  get ms(): number {
    return this.#ms;
  }
}
