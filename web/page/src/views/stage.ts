/** Where texts are typed, and light up while they are heard. */

import { find, make, one, write } from "../dom.js";
import { keepDraft, keptDraft } from "../keeping.js";
import { type Page, show } from "../page.js";
import type { PageState } from "../state.js";
import { type TextKey, text } from "../texts.js";
import { type Saying, isSpeaking, lit, open } from "../transcript.js";
import { problemText } from "../words.js";

const SUGGESTIONS = ["suggestion1", "suggestion2", "suggestion3"] as const satisfies readonly TextKey[];

export function stage(page: Page): void {
  composer(page);
  suggestions(page);
  sayings(page);
}

function composer(page: Page): void {
  const { store } = page;
  const field = one<HTMLTextAreaElement>("text");
  const [send, interrupt] = [one<HTMLButtonElement>("send"), one<HTMLButtonElement>("interrupt")];
  one("composer").addEventListener("submit", (event) => {
    event.preventDefault();
    const words = field.value.trim();
    if (words === "" || !mayBeSaid(page)) return field.focus();
    field.value = "";
    keepDraft("");
    fit(field);
    page.call()?.say(words);
  });
  field.addEventListener("keydown", (event) => {
    // Enter also ends the composition of a Chinese or Japanese word.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    one<HTMLFormElement>("composer").requestSubmit();
  });
  field.addEventListener("input", () => {
    keepDraft(field.value);
    fit(field);
  });
  field.value = keptDraft();
  interrupt.addEventListener("click", () => {
    page.call()?.interrupt();
    field.focus();
  });
  document.addEventListener("keydown", (event) => {
    const busy = document.querySelector("dialog[open]") !== null;
    if (event.key === "Escape" && !busy && isSpeaking(store.state.said)) page.call()?.interrupt();
  });
  show(page, (state, before) => {
    send.disabled = state.current === null;
    interrupt.disabled = !isSpeaking(state.said);
    if (state.phase !== "speaking" || before.phase === "speaking") return;
    field.focus();
    fit(field);
  });
}

/** Whether there is a voice; where there is none, that is told. */
function mayBeSaid({ store }: Page): boolean {
  if (store.state.current !== null) return true;
  store.send({ type: "alert", alert: { code: "choose-voice", detail: "", tone: "notice" } });
  return false;
}

/** As high as its text, where the style sheet cannot say so (Firefox, Safari). */
function fit(field: HTMLTextAreaElement): void {
  if (CSS.supports("field-sizing", "content")) return;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
}

function suggestions(page: Page): void {
  const buttons = SUGGESTIONS.map((key) => {
    const button = make("button", { type: "button", "data-testid": "suggestion" });
    button.addEventListener("click", () => {
      page.call()?.say(button.textContent ?? "");
      one("text").focus();
    });
    return [key, button] as const;
  });
  one("suggestions").append(...buttons.map(([, button]) => button));
  show(page, (state) => {
    one("blank").hidden = state.said.length > 0;
    const own = state.current?.kind === "call" || state.current?.kind === "saved";
    write(find("p", one("blank")), page.words.say(own ? "blankTitle" : "blankTitleStock"));
    for (const [key, button] of buttons) {
      write(button, canSay(page, state) ? page.words.say(key) : text("en", key));
      button.disabled = state.current === null;
    }
  });
}

/** Whether suggestions in the page's language can be said. */
function canSay({ words }: Page, { ability: { languages } }: PageState): boolean {
  return words.language === "en" || languages.some((tag) => tag.startsWith("zh"));
}

// --- what was said ----------------------------------------------------------------------------

class SayingView {
  readonly item: HTMLLIElement;
  readonly #line = make("p", { "aria-hidden": "true" });
  readonly #spans = ["heard", "now", "rest"].map((name) => make("span", { class: name }));
  readonly #note = make("small");
  readonly #again = make("button", { type: "button", class: "link", "data-testid": "say-again" });
  #shown: Saying | null = null;

  constructor(page: Page, { id, text: words }: Saying) {
    this.#again.addEventListener("click", () => {
      if (mayBeSaid(page)) page.call()?.sayAgain(id);
      one("text").focus();
    });
    this.#line.append(...this.#spans);
    const whole = make("span", { class: "visually-hidden" }, words);
    this.item = make("li", { "data-testid": "utterance", "data-id": id }, this.#line, whole, this.#note, this.#again);
  }

  /** `isNext`: nothing is to be said before it. */
  show(page: Page, saying: Saying, isNext: boolean, scroll: HTMLElement): void {
    write(this.#note, note(page, saying, isNext));
    write(this.#again, page.words.say("sayAgain"));
    this.#again.hidden = !canSayAgain(saying);
    if (saying === this.#shown) return;
    this.#shown = saying;
    this.item.dataset["state"] = saying.state;
    lit(saying).forEach((part, index) => write(this.#spans[index] as Element, part));
    if (saying.state === "playing") follow(this.#spans[1] as HTMLElement, scroll);
  }
}

function sayings(page: Page): void {
  const [list, scroll] = [one("said"), one("scroll")];
  const views = new Map<string, SayingView>();
  show(page, ({ said }, before) => {
    const [next] = open(said);
    for (const [id, view] of views) {
      if (said.some((saying) => saying.id === id)) continue;
      view.item.remove();
      views.delete(id);
    }
    said.forEach((saying, index) => {
      const view = views.get(saying.id) ?? new SayingView(page, saying);
      if (!views.has(saying.id)) {
        views.set(saying.id, view);
        // One that waited in the page has another id since it was sent, and stays where it is.
        list.insertBefore(view.item, list.children[index] ?? null);
      }
      view.show(page, saying, saying === next, scroll);
    });
    if (said.length > before.said.length) scroll.scrollTop = scroll.scrollHeight;
  });
}

/** Keep the word that is heard in sight. */
function follow(word: HTMLElement, scroll: HTMLElement): void {
  const [inner, outer] = [word.getBoundingClientRect(), scroll.getBoundingClientRect()];
  if (inner.height === 0) return;
  const margin = outer.height / 4;
  if (inner.bottom > outer.bottom - 8) scroll.scrollTop += inner.bottom - outer.bottom + margin;
  else if (inner.top < outer.top + 8) scroll.scrollTop -= outer.top - inner.top + margin;
}

/** Others would end alike. */
const AS_BEFORE: ReadonlySet<string> = new Set(["text_rejected", "text_too_long", "language_unsupported"]);

function canSayAgain({ state, fault }: Saying): boolean {
  return state === "lost" || (state === "failed" && !AS_BEFORE.has(fault?.code ?? ""));
}

function note({ words }: Page, { state, latencyMs, playedMs, fault }: Saying, isNext: boolean): string {
  const seconds = words.number(playedMs / 1_000, 1);
  switch (state) {
    case "held": return words.say("noteWaiting");
    case "waiting": return words.say(isNext ? "notePreparing" : "noteWaiting");
    case "playing": return words.say("notePlaying");
    case "cancelled": return playedMs === 0 ? words.say("noteDropped") : words.say("noteCancelled", { seconds });
    case "lost": return words.say("noteLost");
    case "failed": return fault === null ? words.say("noteLost") : problemText(words.language, fault);
    case "done":
      if (playedMs === 0) return words.say("noteNothing");
      return latencyMs === null ? words.say("noteDone", { seconds })
        : words.say("noteDoneHeard", { seconds, latency: words.number(latencyMs, 0) });
  }
}
