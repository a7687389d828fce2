/** The texts of a call and how far each was heard. Pure. */

/** `held` is not sent yet: the service has enough to say, or is away. */
export type SayingState = "held" | "waiting" | "playing" | "done" | "cancelled" | "failed" | "lost";

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
/** Enough that there is no pause between texts; the rest waits in the page, where nothing can refuse it. */
const MAX_UNDER_WAY = 8;
const MAX_UNDER_WAY_CHARS = 100_000;

/** A text that was just sent. */
export function sent(all: Transcript, id: string, text: string): Transcript {
  return added(all, newSaying(id, text, "waiting"));
}

/** A text that is to be sent later, under a name of the page's own until then. */
export function held(all: Transcript, id: string, text: string): Transcript {
  return added(all, newSaying(id, text, "held"));
}

/** A held text was sent, and has the client's id from now on. */
export function released(all: Transcript, heldId: string, id: string): Transcript {
  return all.map((saying) => (saying.id === heldId && saying.state === "held" ? newSaying(id, saying.text, "waiting") : saying));
}

/** A text is to be said once more, from its beginning. */
export function again(all: Transcript, id: string): Transcript {
  return all.map((saying) => (saying.id === id ? newSaying(id, saying.text, "held") : saying));
}

function newSaying(id: string, text: string, state: SayingState): Saying {
  return { id, text, state, start: 0, end: 0, latencyMs: null, playedMs: 0, fault: null };
}

/** Only what is over is dropped. */
function added(all: Transcript, saying: Saying): Transcript {
  let surplus = all.length + 1 - MAX_SAYINGS;
  return [...all.filter((one) => surplus <= 0 || isOpen(one) || surplus-- <= 0), saying];
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
  all: Transcript, id: string, state: Exclude<SayingState, "held" | "waiting" | "playing">, playedMs: number,
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

/** Texts that wait in the page. */
export function holding(all: Transcript): Saying[] {
  return all.filter(({ state }) => state === "held");
}

/** Whether the service can be given another text: it takes 32, of 200,000 characters in all. */
export function hasRoom(all: Transcript, text: string): boolean {
  const sentOnes = open(all).filter(({ state }) => state !== "held");
  const chars = sentOnes.reduce((sum, one) => sum + one.text.length, text.length);
  return sentOnes.length === 0 || (sentOnes.length < MAX_UNDER_WAY && chars <= MAX_UNDER_WAY_CHARS);
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
  return state === "held" || state === "waiting" || state === "playing";
}

/** What is over does not change any more. */
function change(all: Transcript, id: string, how: (saying: Saying) => Saying): Transcript {
  return all.map((saying) => (saying.id === id && isOpen(saying) ? how(saying) : saying));
}
