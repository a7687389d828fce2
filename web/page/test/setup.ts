/** The page's own markup and everything around it, in happy-dom. */

import { readFileSync } from "node:fs";
import type { Call } from "../src/call.js";
import { Library } from "../src/library.js";
import type { Page } from "../src/page.js";
import { INITIAL, type PageEvent, type PageState, reduce } from "../src/state.js";
import { Store } from "../src/store.js";
import { Words } from "../src/words.js";

export const MARKUP = readFileSync("index.html", "utf8");

/** What a call was asked to do. */
export type Asked = [what: string, ...details: unknown[]];

/** A page without a service: a call only notes what it is asked for. */
export interface Rig extends Page {
  asked: Asked[];
  send(...events: PageEvent[]): void;
}

export function rig(...views: ((page: Page) => void)[]): Rig {
  localStorage.clear();
  sessionStorage.clear();
  document.body.innerHTML = MARKUP.slice(MARKUP.indexOf("<body>") + 6, MARKUP.indexOf("</body>"));
  const asked: Asked[] = [];
  const note = (what: string) => (...details: unknown[]) => {
    asked.push([what, ...details]);
    return Promise.resolve(true);
  };
  const there = Object.fromEntries(["leave", "end", "mute", "kick", "record", "agreeToRecording"].map((what) => [what, note(`room.${what}`)]));
  const call = {
    end: note("end"), learn: note("learn"), use: note("use"), useAny: note("useAny"), say: note("say"), sayAgain: note("sayAgain"),
    interrupt: note("interrupt"), steer: note("steer"), letInterrupt: note("letInterrupt"), publish: note("publish"),
    rename: note("rename"), withdraw: note("withdraw"), inRoom: (act: (room: object) => unknown) => act(there),
  } as unknown as Call;
  const store = new Store<PageState, PageEvent>(INITIAL, reduce);
  const library = Object.assign(Object.create(Library.prototype), {
    save: note("save"), rename: note("rename"), remove: note("remove"), export: note("export"), import: note("import"),
    mix: note("mix"),
  }) as Library;
  const page: Rig = {
    store, words: new Words(), library, asked,
    call: () => call,
    start: note("start"),
    enter: async () => void note("enter")(),
    copyLink: async () => void note("copyLink")(),
    send: (...events) => events.forEach((event) => store.send(event)),
  };
  for (const view of views) view(page);
  return page;
}

export const READY: PageEvent = {
  type: "ready",
  ability: {
    engine: "fake · cpu", languages: ["en-us", "zh"], emotions: ["happy", "neutral"],
    ranges: { speed: [0.5, 2], pitch_semitones: [-12, 12], energy: [0.25, 2] },
  },
};
export const LEARNING: PageEvent[] = [{ type: "start" }, READY, { type: "learn" }];
export const SPEAKING: PageEvent[] = [...LEARNING, { type: "usable", voiceId: "v", heardS: 3.2 }];
