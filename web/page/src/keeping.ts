/** What the page remembers: choices for ever, the call for as long as the tab. */

import type { Resumption } from "@voicepeer/client";
import type { Back } from "./state.js";

/** A call that can be gone on with after a reload. */
export interface KeptCall {
  version: typeof VERSION;
  resumption: Resumption;
  /** Where the service asks for one. */
  key: string | null;
  back: Back;
  /** The speaker's statement, in the words that they have seen. */
  consent: string;
}

export type Choice = "language" | "theme" | "microphone";

/** Of what is kept; what another version of the page has kept is of no use. */
export const VERSION = 1;
const PREFIX = "voicepeer.";
const CALL = `${PREFIX}call`;

/** A choice that was made on an earlier visit. */
export function choice(name: Choice): string | null {
  return guarded(() => localStorage.getItem(PREFIX + name)) ?? null;
}

/** Remember a choice. */
export function choose(name: Choice, value: string): void {
  guarded(() => localStorage.setItem(PREFIX + name, value));
}

/** The call of before a reload. */
export function keptCall(): KeptCall | null {
  const kept = guarded(() => JSON.parse(sessionStorage.getItem(CALL) ?? "null") as unknown);
  return isKeptCall(kept) ? kept : null;
}

/** Keep a call, or with `null` forget it. */
export function keepCall(call: KeptCall | null): void {
  guarded(() => (call === null ? sessionStorage.removeItem(CALL) : sessionStorage.setItem(CALL, JSON.stringify(call))));
}

function isKeptCall(kept: unknown): kept is KeptCall {
  if (typeof kept !== "object" || kept === null) return false;
  const { resumption, back, consent, version } = kept as Partial<KeptCall>;
  return version === VERSION && typeof resumption?.token === "string" && typeof consent === "string" && back !== undefined;
}

/** Browsers that keep nothing for a page throw; then nothing is remembered. */
function guarded<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
