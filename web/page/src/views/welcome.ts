/** The first thing a visitor sees: what this is, their consent, and the way in; and the way out. */

import { textOf } from "@voicepeer/client";
import { find, one, write } from "../dom.js";
import { choice, choose } from "../keeping.js";
import { type Page, show } from "../page.js";
import type { PageState, Waiting } from "../state.js";
import type { TextKey } from "../texts.js";
import { Ring } from "../ring.js";

const WAITING: Readonly<Record<Waiting, TextKey>> = {
  service: "waitingService", microphone: "waitingMicrophone", connection: "waitingConnection", return: "waitingReturn",
};

export function welcome(page: Page): void {
  new Ring(find<SVGSVGElement>("[data-ring=emblem]")).share = 0.62;
  const consent = one<HTMLInputElement>("consent");
  const key = one<HTMLInputElement>("key");
  const start = one<HTMLButtonElement>("start");
  const joinOnly = one<HTMLButtonElement>("join-only");
  const name = one<HTMLInputElement>("name");
  name.value = choice("name") ?? "";
  name.addEventListener("change", () => choose("name", name.value.trim()));
  joinOnly.addEventListener("click", () => page.start(key.value, true));
  consent.addEventListener("change", () => page.store.send({ type: "consent", given: consent.checked }));
  one("consent-form").addEventListener("submit", (event) => {
    event.preventDefault();
    page.start(key.value);
  });
  show(page, (state, before) => {
    const busy = state.phase === "starting";
    start.disabled = busy || !(state.consented || state.resumable);
    start.toggleAttribute("aria-busy", busy);
    consent.checked = state.consented;
    consent.disabled = busy;
    consent.required = !state.resumable;
    one("key-field").hidden = !state.keyNeeded;
    one("invited").hidden = one("name-field").hidden = joinOnly.hidden = !state.invited || state.resumable;
    joinOnly.disabled = busy;
    write(one("start-text"), page.words.say(state.resumable ? "goOn" : "start"));
    write(one("start-status"), status(page, state));
    if (state.phase === "error" && before.phase !== "error") (state.keyNeeded ? key : start).focus();
    if (state.phase === "welcome" && before.phase === "ended") start.focus();
  });
  ended(page);
}

function status({ words }: Page, { waiting, consented, resumable }: PageState): string {
  if (waiting !== null) return words.say(WAITING[waiting]);
  return consented || resumable ? "" : words.say("tickFirst");
}

function ended(page: Page): void {
  const restart = one("restart");
  restart.addEventListener("click", () => page.store.send({ type: "restart" }));
  show(page, ({ phase, ending }, before) => {
    if (phase !== "ended") return;
    const mine = ending === "client_left";
    write(one("ending"), mine ? page.words.say("endedByMe") : textOf(ending ?? "internal", page.words.language));
    one("ending").dataset["reason"] = ending ?? "";
    if (before.phase !== "ended") restart.focus();
  });
}
