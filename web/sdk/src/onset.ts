/** Finds the moment at which a sound begins. Pure. */

import { levelDbfs } from "./level.js";

/** The quietest level of speech that a person hears. */
export const AUDIBLE_DBFS = -50;
const BLOCK_MS = 2;

/** Offset of the first block of 2 ms that is audible in `samples`; -1 where there is none. */
export function firstAudible(samples: Float32Array, rateHz: number): number {
  const block = Math.max(1, Math.round((BLOCK_MS * rateHz) / 1000));
  for (let at = 0; at + block <= samples.length; at += block) {
    if (levelDbfs(samples.subarray(at, at + block)) > AUDIBLE_DBFS) return at;
  }
  return -1;
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
