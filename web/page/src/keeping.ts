/** What the page remembers: choices for ever, the call for as long as the tab. */

import type { Resumption } from "@voicepeer/client";
import type { Back } from "./state.js";

/** A call that can be gone on with after a reload. */
export interface KeptCall {
  version: typeof VERSION;
  resumption: Resumption;
  /** Where the service asks for one. */
  key: string | null;
  room: string;
  back: Back;
  /** The speaker's statement, in the words that they have seen. */
  consent: string;
}

export type Choice = "language" | "theme" | "microphone" | "name";

/** Of what is kept; what another version of the page has kept is of no use. */
export const VERSION = 3;
const PREFIX = "voicepeer.";
const CALL = `${PREFIX}call`;
const CONSENT = `${PREFIX}consent`;
const DRAFT = `${PREFIX}draft`;

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

/** Whether consent was given in this tab, to the statement of this version. */
export function keptConsent(version: number): boolean {
  return guarded(() => sessionStorage.getItem(CONSENT)) === String(version);
}

/** Remember until the tab is closed that consent was given, or taken back. */
export function keepConsent(version: number, given: boolean): void {
  guarded(() => (given ? sessionStorage.setItem(CONSENT, String(version)) : sessionStorage.removeItem(CONSENT)));
}

/** The text that was being typed before a reload. */
export function keptDraft(): string {
  return guarded(() => sessionStorage.getItem(DRAFT)) ?? "";
}

/** Keep what is being typed; an empty text forgets it. */
export function keepDraft(text: string): void {
  guarded(() => (text === "" ? sessionStorage.removeItem(DRAFT) : sessionStorage.setItem(DRAFT, text)));
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
