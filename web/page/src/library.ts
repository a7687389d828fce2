/** What can be done with saved voices, with the questions that come before it. */

import type { VoiceInfo } from "@voicepeer/client";
import type { Call } from "./call.js";
import type { PageEvent, PageState } from "./state.js";
import type { Store } from "./store.js";

type Named = Pick<VoiceInfo, "id" | "name">;

/** Questions to a person; `null` and `false` are a no. */
export interface Questions {
  name(old: string): Promise<string | null>;
  mayDelete(name: string): Promise<boolean>;
}

export class Library {
  readonly #store: Store<PageState, PageEvent>;
  readonly #questions: Questions;

  constructor(store: Store<PageState, PageEvent>, questions: Questions) {
    this.#store = store;
    this.#questions = questions;
  }

  /** Keep the voice of the call. Whether that was done. */
  async save(call: Call, name: string): Promise<boolean> {
    return this.#changing(call, async () => {
      const { voiceId } = await call.peer.voices.save(name);
      this.#store.send({ type: "saved", id: voiceId, name });
      this.#tell("saved", name);
    });
  }

  async rename(call: Call, voice: VoiceInfo): Promise<void> {
    const name = await this.#questions.name(voice.name);
    if (name === null || name === voice.name) return;
    await this.#changing(call, async () => {
      await call.peer.voices.rename(voice.id, name);
      this.#store.send({ type: "saved", id: voice.id, name });
    });
  }

  /** Delete a voice with all that was learned of it. */
  async remove(call: Call, voice: VoiceInfo): Promise<void> {
    if (!await this.#questions.mayDelete(voice.name)) return;
    await this.#changing(call, async () => {
      await call.peer.voices.delete(voice.id);
      this.#store.send({ type: "gone", voiceId: voice.id });
      this.#tell("deleted", voice.name);
    });
  }

  /** Give a voice to the browser as a file to keep. */
  async export(call: Call, voice: VoiceInfo): Promise<void> {
    await call.attempt(async () => download(await call.peer.voices.export(voice.id), `${fileName(voice.name)}.voice`));
  }

  async import(call: Call, file: Blob): Promise<void> {
    await this.#changing(call, async () => this.#tell("imported", (await call.peer.voices.import(file)).name));
  }

  /** Speak with a mix; `share` is the second voice's, 0 to 1. */
  async mix(call: Call, first: Named, second: Named, share: number): Promise<void> {
    await call.attempt(async () => {
      const { voiceId: id } = await call.peer.voices.mix({ [first.id]: 1 - share, [second.id]: share });
      const name = `${first.name} ${percent(1 - share)} + ${second.name} ${percent(share)}`;
      this.#store.send({ type: "chosen", current: { id, name, kind: "mix" } });
    });
  }

  async #changing(call: Call, act: () => Promise<void>): Promise<boolean> {
    const done = await call.attempt(act);
    if (done) await call.listVoices();
    return done;
  }

  #tell(code: string, name: string): void {
    this.#store.send({ type: "alert", alert: { code, detail: name, tone: "done" } });
  }
}

/** A name that every file system takes. */
export function fileName(name: string): string {
  return name.replace(/[^\p{Letter}\p{Number} _-]+/gu, "_").trim().slice(0, 60) || "voice";
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

function download(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  // Safari reads it a moment later.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
