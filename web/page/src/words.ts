/** The page's language: chosen, remembered, and put into index.html. */

import { CODES, textOf } from "@voicepeer/client";
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
  "recording-ended": "recordingEnded",
  "recording-withdrawn": "recordingDeleted",
  "link-copied": "linkCopied",
  "link-to-copy": "linkToCopy",
  "link-broken": "linkBroken",
  "deleted-current": "deletedCurrent",
  "voice-gone": "voiceGone",
  "choose-voice": "chooseVoice",
  too_large: "fileTooLarge",
  text_rejected: "textRejected",
  voice_rejected: "voiceRejected",
  "save:bad_message": "nameRefused",
  "save:invalid_value": "nameRefused",
  "rename:bad_message": "nameRefused",
  "rename:invalid_value": "nameRefused",
  "restarted-learning": "statusRestartedLearning",
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

/** What is known of an alert, or of why a text was not said. */
export type Told = Pick<Alert, "code" | "detail"> & Partial<Pick<Alert, "about" | "tone">>;

/** In words: of the page, of a hint, or of the client's own table; never in those of the service. */
export function problemText(language: Language, { code, detail, about }: Told): string {
  const own = ownText(code, about);
  if (own !== undefined) return text(language, own, { name: detail });
  return isKnown(code) ? textOf(code, language, detail) : text(language, "refused", { code });
}

/** The service's words, which are English, for the small print; only where they say more. */
export function smallPrint({ code, detail, tone, about }: Told): string {
  const says = code === "text_rejected" || code === "voice_rejected" || !(isKnown(code) || ownText(code, about) !== undefined);
  return says && tone === "fault" ? detail : "";
}

function ownText(code: string, about: Alert["about"]): TextKey | undefined {
  return OWN_ALERTS[`${about}:${code}`] ?? OWN_ALERTS[code] ?? HINTS[code.replace(/^hint\./, "")];
}

function isKnown(code: string): boolean {
  return (CODES as readonly string[]).includes(code);
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
