/** How texts are said: speed, pitch, energy, mood and language. */

import { offer, one, write } from "../dom.js";
import { type Page, show } from "../page.js";
import { type Manner, PLAIN, type PageState } from "../state.js";
import type { TextKey } from "../texts.js";
import { TAGS } from "../words.js";

type Slider = "speed" | "pitchSemitones" | "energy";

/** Which slider is for what, and what its value is called. */
const SLIDERS: readonly (readonly [id: string, name: Slider, range: string, unit: TextKey, digits: number])[] = [
  ["speed", "speed", "speed", "times", 2],
  ["pitch", "pitchSemitones", "pitch_semitones", "semitones", 1],
  ["energy", "energy", "energy", "times", 2],
];

export function delivery(page: Page): void {
  const steer = (manner: Partial<Manner>) => page.call()?.steer(manner);
  for (const [id, name] of SLIDERS) {
    const input = one<HTMLInputElement>(id);
    input.addEventListener("input", () => steer({ [name]: input.valueAsNumber }));
  }
  const [emotion, language] = [one<HTMLSelectElement>("emotion"), one<HTMLSelectElement>("speech-language")];
  emotion.addEventListener("change", () => steer({ emotion: emotion.value }));
  language.addEventListener("change", () => steer({ language: language.value }));
  one("delivery-reset").addEventListener("click", () => steer(PLAIN));
  show(page, (state) => {
    for (const slider of SLIDERS) showSlider(page, state, ...slider);
    offer(emotion, emotions(page, state), PLAIN.emotion);
    offer(language, languages(page, state), PLAIN.language);
    emotion.value = state.manner.emotion;
    language.value = state.manner.language;
  });
}

function showSlider(
  { words }: Page, { manner, ability: { ranges } }: PageState, id: string, name: Slider, range: string, unit: TextKey,
  digits: number,
): void {
  const input = one<HTMLInputElement>(id);
  const [least, most] = ranges[range] ?? [];
  if (least !== undefined && most !== undefined) {
    input.min = String(least);
    input.max = String(most);
  }
  input.value = String(manner[name]);
  const sign = unit === "semitones" && manner[name] > 0 ? "+" : "";
  const value = words.say(unit, { value: sign + words.number(manner[name], digits) });
  write(one(`${id}-value`), value);
  input.setAttribute("aria-valuetext", value);
}

function emotions({ words }: Page, { ability }: PageState): { value: string; label: string }[] {
  const known = ability.emotions.includes(PLAIN.emotion) ? ability.emotions : [PLAIN.emotion, ...ability.emotions];
  const ordered = [PLAIN.emotion, ...known.filter((name) => name !== PLAIN.emotion)];
  return ordered.map((name) => ({ value: name, label: words.emotion(name) }));
}

function languages({ words }: Page, { ability }: PageState): { value: string; label: string }[] {
  const names = new Intl.DisplayNames([TAGS[words.language]], { type: "language" });
  const tags = ability.languages.map((tag) => ({ value: tag, label: names.of(tag) ?? tag }));
  tags.sort((one, other) => one.label.localeCompare(other.label, TAGS[words.language]));
  return [{ value: PLAIN.language, label: words.say("languageAuto") }, ...tags];
}
