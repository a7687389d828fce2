/** Learning a voice: the ring, the microphone and what to do better; large at first, small beside later. */

import { copyOf, find, offer, one, write } from "../dom.js";
import { choose } from "../keeping.js";
import { type Page, show } from "../page.js";
import { Ring, loudness } from "../ring.js";
import type { PageState } from "../state.js";
import { HINTS } from "../words.js";

export function learning(page: Page): void {
  const dial = copyOf("dial").children;
  const ring = new Ring(dial[0] as SVGSVGElement);
  const parts = [...dial];
  const microphone = find(".microphone", copyOf("microphone"));
  show(page, (state, before) => {
    place(state.phase === "learning" ? "large" : "small", parts, microphone);
    showRing(page, ring, state);
    find<HTMLElement>("[data-slot=dial-small]").hidden = !state.learning.on && state.learning.stage === "none";
    showHint(page, state);
    write(one("skip"), page.words.say(state.earlier === null ? "skipLearning" : "keepVoice"));
    const { heardS } = state.learning;
    write(one("guide"), page.words.say(heardS > 0 ? "guideMore" : "guideSpeak"));
    if (state.phase === "learning" && before.phase !== "learning") find("main").focus({ preventScroll: true });
  });
  one("skip").addEventListener("click", () => void page.call()?.useAny());
  microphones(page);
  animate(page, ring);
}

function place(size: "large" | "small", dial: readonly Element[], microphone: Element): void {
  const slot = find(`[data-slot=dial-${size}]`);
  if (dial[0]?.parentElement === slot) return;
  slot.append(...dial);
  find(`[data-slot=microphone-${size}]`).append(microphone);
}

function showRing({ words }: Page, ring: Ring, { learning: { stage, heardS, neededS } }: PageState): void {
  const share = stage === "ready" ? 1 : Math.min(1, heardS / neededS);
  ring.share = share;
  const [heard, needed] = [words.number(heardS, 1), words.number(neededS, 0)];
  write(one("ring-text"), heard);
  write(one("ring-unit"), words.say("ringUnit", { needed }));
  const bar = one("ring");
  bar.setAttribute("aria-label", words.say("ringLabel"));
  bar.setAttribute("aria-valuenow", String(Math.round(100 * share)));
  bar.setAttribute("aria-valuetext", words.say("ringValue", { heard: words.number(heardS, 0), needed }));
}

function showHint({ words }: Page, { learning: { hint }, mic }: PageState): void {
  // That a microphone is silent is told above already.
  const key = hint === null || mic === "silent" ? undefined : HINTS[hint];
  for (const note of [one("hint"), one("hint-small")]) {
    note.hidden = key === undefined;
    note.dataset["hint"] = hint ?? "";
    if (key !== undefined) write(note, words.say(key));
  }
}

function microphones(page: Page): void {
  const select = one<HTMLSelectElement>("mic");
  select.addEventListener("change", () => {
    choose("microphone", select.value);
    void page.call()?.peer.microphone.start(select.value);
  });
  const list = async () => {
    const peer = page.call()?.peer;
    if (peer === undefined) return;
    const { microphones: found } = await peer.devices();
    const options = found.map(({ id, label }, index) => ({
      value: id, label: label || `${page.words.say("microphone")} ${index + 1}`,
    }));
    offer(select, options.length > 0 ? options : [{ value: "", label: page.words.say("microphoneDefault") }], "");
    const device = peer.microphone.device?.id;
    if (device !== undefined && options.some(({ value }) => value === device)) select.value = device;
  };
  navigator.mediaDevices?.addEventListener("devicechange", () => void list());
  page.words.watch(() => void list());
  page.store.watch((state, before) => {
    find<HTMLElement>(".microphone").hidden = state.mic === "none";
    if (state.phase !== before.phase || state.mic !== before.mic) void list();
  });
}

/** Levels of the microphone, and of the voice while it is heard. Nothing happens in a hidden tab. */
function animate(page: Page, ring: Ring): void {
  const meter = one("mic-level");
  const frame = () => {
    const peer = page.call()?.peer;
    const { phase } = page.store.state;
    if (peer !== undefined && (phase === "learning" || phase === "speaking")) {
      const mic = loudness(peer.microphone.dbfs);
      meter.style.setProperty("--level", mic.toFixed(3));
      const now = String(Math.round(10 * mic) * 10);
      if (meter.getAttribute("aria-valuenow") !== now) meter.setAttribute("aria-valuenow", now);
      ring.level = phase === "learning" ? mic : loudness(peer.speech.dbfs);
    }
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}
