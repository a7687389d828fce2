/** The texts of a call and how far each was heard. Pure. */

export type SayingState = "waiting" | "playing" | "done" | "cancelled" | "failed" | "lost";

/** One text; offsets are UTF-16 units, as `slice` counts. */
export interface Saying {
  readonly id: string;
  readonly text: string;
  readonly state: SayingState;
  /** The word that is being heard; all before it was heard. */
  readonly start: number;
  readonly end: number;
  /** From Enter to its first sound; `null` where that was not measured. */
  readonly latencyMs: number | null;
  /** Of its sound that was sent. */
  readonly playedMs: number;
  /** Code and the service's words, where it failed. */
  readonly fault: { readonly code: string; readonly detail: string } | null;
}

export type Transcript = readonly Saying[];

/** Older ones are dropped: the page is no archive. */
export const MAX_SAYINGS = 100;

/** A text that was just sent. */
export function sent(all: Transcript, id: string, text: string): Transcript {
  const saying: Saying = { id, text, state: "waiting", start: 0, end: 0, latencyMs: null, playedMs: 0, fault: null };
  return [...all, saying].slice(-MAX_SAYINGS);
}

/** It begins to be heard. */
export function began(all: Transcript, id: string, latencyMs: number | null): Transcript {
  return change(all, id, (saying) => ({ ...saying, state: "playing", latencyMs }));
}

/** A word begins to be heard. */
export function spoke(all: Transcript, id: string, start: number, end: number): Transcript {
  return change(all, id, (saying) => ({ ...saying, state: "playing", start, end }));
}

/** It is over. What was done was heard wholly. */
export function over(
  all: Transcript, id: string, state: Exclude<SayingState, "waiting" | "playing">, playedMs: number,
  fault: Saying["fault"] = null,
): Transcript {
  return change(all, id, (saying) => {
    const length = saying.text.length;
    const light = state === "done" ? { start: length, end: length } : {};
    return { ...saying, ...light, state, playedMs, fault };
  });
}

/** Whether anything waits or is heard. */
export function isSpeaking(all: Transcript): boolean {
  return all.some(isOpen);
}

/** Texts that are not over, to be found again after a reload. */
export function open(all: Transcript): Saying[] {
  return all.filter(isOpen);
}

/** Slices for the eye: heard, being heard, not heard yet. */
export function lit({ text, start, end }: Pick<Saying, "text" | "start" | "end">): [string, string, string] {
  return [text.slice(0, start), text.slice(start, end), text.slice(end)];
}

/** Offset in UTF-16 units of a code point, which the wire counts in. */
export function unitsOf(text: string, points: number): number {
  let units = 0;
  for (const point of text) {
    if (points <= 0) break;
    units += point.length;
    points -= 1;
  }
  return units;
}

function isOpen({ state }: Saying): boolean {
  return state === "waiting" || state === "playing";
}

/** What is over does not change any more. */
function change(all: Transcript, id: string, how: (saying: Saying) => Saying): Transcript {
  return all.map((saying) => (saying.id === id && isOpen(saying) ? how(saying) : saying));
}
