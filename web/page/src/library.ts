/** What can be done with saved voices, with the questions that come before it. */

import { type VoiceInfo, VoicePeerError } from "@voicepeer/client";
import type { Call, Problem } from "./call.js";
import type { About, PageEvent, PageState } from "./state.js";
import type { Store } from "./store.js";

/** The service takes no larger file, and would break the connection in the middle of it. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

type Named = Pick<VoiceInfo, "id" | "name">;

/** Questions to a person. */
export interface Questions {
  /** Ask for a name until `take` has no problem with it, or the person does not want to any more. */
  name(old: string, take: (name: string) => Promise<Problem | null>): Promise<void>;
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
    }, "save");
  }

  async rename(call: Call, voice: VoiceInfo): Promise<void> {
    await this.#questions.name(voice.name, (name) => call.outcome(async () => {
      await call.peer.voices.rename(voice.id, name);
      this.#store.send({ type: "saved", id: voice.id, name });
    }));
    await call.listVoices();
  }

  /** Delete a voice with all that was learned of it. */
  async remove(call: Call, voice: VoiceInfo): Promise<void> {
    if (!await this.#questions.mayDelete(voice.name)) return;
    await this.#changing(call, async () => {
      await call.peer.voices.delete(voice.id);
      const spoke = this.#store.state.current?.id === voice.id;
      this.#store.send({ type: "gone", voiceId: voice.id });
      if (spoke) this.#store.send({ type: "alert", alert: { code: "deleted-current", detail: voice.name, tone: "notice" } });
      else this.#tell("deleted", voice.name);
    }, "remove");
  }

  /** Give a voice to the browser as a file to keep. */
  async export(call: Call, voice: VoiceInfo): Promise<void> {
    await call.attempt(async () => download(await call.peer.voices.export(voice.id), `${fileName(voice.name)}.voice`), "export");
  }

  async import(call: Call, file: Blob): Promise<void> {
    await this.#changing(call, async () => {
      if (file.size > MAX_FILE_BYTES) throw new VoicePeerError("too_large");
      this.#tell("imported", (await call.peer.voices.import(file)).name);
    }, "import");
  }

  /** Speak with a mix; `share` is the second voice's, 0 to 1. */
  async mix(call: Call, first: Named, second: Named, share: number): Promise<void> {
    await call.attempt(async () => {
      const { voiceId: id } = await call.peer.voices.mix({ [first.id]: 1 - share, [second.id]: share });
      const name = `${first.name} ${percent(1 - share)} + ${second.name} ${percent(share)}`;
      this.#store.send({ type: "chosen", current: { id, name, kind: "mix" } });
    }, "voice");
  }

  async #changing(call: Call, act: () => Promise<void>, about: About): Promise<boolean> {
    const done = await call.attempt(act, about);
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
