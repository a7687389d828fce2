/** What a call was told of how to speak, for a session that begins in place of a lost one. Pure. */

import type { Channel } from "./wire.js";

/** A message to be sent again. */
export type Remembered = {
  [Name in "controls.set" | "session.configure" | "lexicon.set" | "voice.use" | "voice.mix"]:
    [name: Name, fields: Channel.Requests[Name]];
}[
  "controls.set" | "session.configure" | "lexicon.set" | "voice.use" | "voice.mix"];

/** Remembers the last of everything. */
export class Memory {
  #controls: Channel.SetControls = {};
  #settings: Channel.SessionConfigure = {};
  readonly #lexicons = new Map<string, Channel.SetLexicon>();
  #voice: Remembered | "learned" | null = null;

  /** The service was asked for this. */
  asked(...[name, fields]: Remembered): void {
    if (name === "controls.set") {
      if ((fields.utterance_id ?? "*") === "*") this.#controls = { ...this.#controls, ...fields };
    } else if (name === "session.configure") this.#settings = { ...this.#settings, ...fields };
    else if (name === "lexicon.set") this.#lexicons.set(fields.voice_id ?? "", fields);
    else this.#voice = [name, fields] as Remembered;
  }

  /** The call speaks with a voice that was learned in it. */
  learned(): void {
    this.#voice = "learned";
  }

  /** Whether the voice cannot be asked for again: it was learned in the call that is lost. */
  get losesVoice(): boolean {
    return this.#voice === "learned";
  }

  /** What to send so that a new session speaks like the lost one. */
  replay(): Remembered[] {
    const messages: Remembered[] = [];
    if (Object.keys(this.#controls).length > 0) messages.push(["controls.set", this.#controls]);
    if (Object.keys(this.#settings).length > 0) messages.push(["session.configure", this.#settings]);
    for (const lexicon of this.#lexicons.values()) messages.push(["lexicon.set", lexicon]);
    if (this.#voice !== null && this.#voice !== "learned") messages.push(this.#voice);
    return messages;
  }
}
