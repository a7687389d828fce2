/** The page's language: chosen, remembered, and put into index.html. */

import { textOf } from "@voicepeer/client";
import { choice, choose } from "./keeping.js";
import type { Alert } from "./state.js";
import { type Language, TEXTS, type TextKey, text } from "./texts.js";

/** The language of a first visit. */
export function firstLanguage(remembered: string | null, preferred: readonly string[]): Language {
  if (remembered === "en" || remembered === "zh") return remembered;
  const known = preferred.map((tag) => tag.toLowerCase().split("-")[0]).find((tag) => tag === "en" || tag === "zh");
  return known === "zh" ? "zh" : "en";
}

/** Tags for `lang` and for `Intl`. */
export const TAGS: Readonly<Record<Language, string>> = { en: "en", zh: "zh-CN" };

const OWN_ALERTS: Readonly<Record<string, TextKey>> = {
  saved: "saved",
  deleted: "deleted",
  imported: "imported",
  restarted: "statusRestarted",
  "restarted-unlearned": "statusRestartedLearn",
};

/** What hints of the service are in words. */
export const HINTS: Readonly<Record<string, TextKey>> = {
  too_quiet: "hintTooQuiet",
  noisy: "hintNoisy",
  clipping: "hintClipping",
  muffled: "hintMuffled",
  own_voice: "hintOwnVoice",
  no_speech: "hintNoSpeech",
  muted: "hintMuted",
  several_speakers: "hintSeveralSpeakers",
};

/** An alert in words: of the page, of a hint, or of the client's own table. */
export function alertText(language: Language, { code, detail }: Alert): string {
  const own = OWN_ALERTS[code] ?? HINTS[code.replace(/^hint\./, "")];
  return own === undefined ? textOf(code, language, detail) : text(language, own, { name: detail });
}

/** Gives texts in the language of the moment. */
export class Words {
  #language: Language;
  readonly #listeners: (() => void)[] = [];

  constructor() {
    this.#language = firstLanguage(choice("language"), navigator.languages);
  }

  get language(): Language {
    return this.#language;
  }

  set language(language: Language) {
    this.#language = language;
    choose("language", language);
    for (const listener of this.#listeners) listener();
  }

  /** Be told when the language changes. */
  watch(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** A text. */
  say(key: TextKey, values: Readonly<Record<string, string>> = {}): string {
    return text(this.#language, key, values);
  }

  /** The name of an emotion; of one that is not known here, the service's. */
  emotion(name: string): string {
    const key = `emotion_${name}`;
    return key in TEXTS ? this.say(key as TextKey) : name;
  }

  /** A number with as many digits after its point. */
  number(value: number, digits: number): string {
    return value.toLocaleString(TAGS[this.#language], { minimumFractionDigits: digits, maximumFractionDigits: digits });
  }

  /** Put texts into all elements that name one. */
  apply(root: ParentNode): void {
    for (const [attribute, put] of Object.entries(PLACES)) {
      for (const element of root.querySelectorAll<HTMLElement>(`[data-${attribute}]`)) {
        const key = element.dataset[attribute];
        if (key !== undefined && key in TEXTS) put(element, this.say(key as TextKey));
      }
    }
  }
}

const PLACES: Readonly<Record<string, (element: HTMLElement, text: string) => void>> = {
  text: (element, words) => { element.textContent = words; },
  label: (element, words) => { element.setAttribute("aria-label", words); },
  placeholder: (element, words) => { element.setAttribute("placeholder", words); },
};
