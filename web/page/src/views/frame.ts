/** What is around everything: language, colours, hanging up, alerts, and which view is shown. */

import { find, one, write } from "../dom.js";
import { choice, choose } from "../keeping.js";
import { type Page, show } from "../page.js";
import { inCall } from "../phase.js";
import type { PageState } from "../state.js";
import type { TextKey } from "../texts.js";
import { TAGS, problemText, smallPrint } from "../words.js";

const THEMES = ["auto", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

const THEME_LABELS: Readonly<Record<Theme, TextKey>> = { auto: "themeAuto", light: "themeLight", dark: "themeDark" };

/** What was done is told for so long. */
const DONE_MS = 8_000;

/** Which view belongs to a phase. */
const VIEWS: Readonly<Record<PageState["phase"], string>> = {
  welcome: "welcome", error: "welcome", starting: "welcome", learning: "learning", speaking: "speaking", ended: "ended",
};

export function frame(page: Page): void {
  languages(page);
  themes(page);
  alerts(page);
  announcements(page);
  const hangUp = one("hangup");
  hangUp.addEventListener("click", () => page.call()?.end());
  const main = find("main");
  const connection = one("connection");
  const views = [...document.querySelectorAll<HTMLElement>("[data-view]")];
  show(page, (state) => {
    mark(main, state);
    for (const view of views) view.hidden = view.dataset["view"] !== VIEWS[state.phase];
    hangUp.hidden = connection.hidden = !inCall(state.phase);
    connection.dataset["quality"] = state.connection;
    write(one("connection-text"), page.words.say(state.connection));
    write(one("engine"), state.ability.engine);
  });
}

/** What tests and style sheets can see of the state. */
function mark(main: HTMLElement, state: PageState): void {
  const { learning, current } = state;
  Object.assign(main.dataset, {
    state: state.phase,
    mic: state.mic,
    connection: state.connection,
    learning: learning.on ? "on" : "off",
    voice: learning.stage === "ready" || (current !== null && current.kind !== "call") ? "ready" : learning.stage,
  });
  main.toggleAttribute("data-returning", state.waiting === "return");
}

function languages({ words }: Page): void {
  const button = one("language");
  const apply = () => {
    document.documentElement.lang = TAGS[words.language];
    words.apply(document);
    write(button, words.say("languageSwitch"));
    button.lang = TAGS[words.language === "en" ? "zh" : "en"];
    button.setAttribute("aria-label", words.say("languageLabel"));
  };
  button.addEventListener("click", () => { words.language = words.language === "en" ? "zh" : "en"; });
  words.watch(apply);
  apply();
}

function themes({ words }: Page): void {
  const button = one("theme");
  const remembered = choice("theme");
  let theme: Theme = THEMES.find((one) => one === remembered) ?? "auto";
  const apply = () => {
    document.documentElement.dataset["theme"] = theme;
    button.setAttribute("aria-label", words.say(THEME_LABELS[theme]));
    button.title = words.say(THEME_LABELS[theme]);
  };
  button.addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] as Theme;
    choose("theme", theme);
    apply();
  });
  words.watch(apply);
  apply();
}

function alerts(page: Page): void {
  const { store, words } = page;
  const box = one("alert");
  one("alert-close").addEventListener("click", () => store.send({ type: "alert", alert: null }));
  show(page, ({ alert }) => {
    box.hidden = alert === null;
    if (alert === null) return;
    write(one("alert-text"), problemText(words.language, alert));
    write(one("alert-detail"), smallPrint(alert));
    box.dataset["code"] = alert.code;
    box.dataset["tone"] = alert.tone;
  });
  store.watch(({ alert }, before) => {
    if (alert?.tone !== "done" || alert === before.alert) return;
    setTimeout(() => { if (store.state.alert === alert) store.send({ type: "alert", alert: null }); }, DONE_MS);
  });
}

/** What screen readers are told, seldom and in one sentence. */
function announcements({ store, words }: Page): void {
  const status = one("status");
  store.watch((state, before) => {
    if (state.phase === "learning" && before.phase !== "learning") write(status, words.say("statusLearning"));
    else if (state.learning.stage === "ready" && before.learning.stage === "usable") write(status, words.say("statusReady"));
    else if (state.phase === "speaking" && before.phase !== "speaking") {
      const key = before.resumable ? "statusReturned" : state.current?.kind === "call" ? "statusUsable" : "statusChosen";
      write(status, words.say(key));
    }
  });
}
