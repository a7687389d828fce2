// @vitest-environment happy-dom
import type { VoiceInfo } from "@voicepeer/client";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { one } from "../src/dom.js";
import { PLAIN, type PageEvent } from "../src/state.js";
import { TEXTS } from "../src/texts.js";
import { delivery } from "../src/views/delivery.js";
import { dialogs } from "../src/views/dialogs.js";
import { frame } from "../src/views/frame.js";
import { learning } from "../src/views/learning.js";
import { numbers } from "../src/views/numbers.js";
import { stage } from "../src/views/stage.js";
import { voices } from "../src/views/voices.js";
import { welcome } from "../src/views/welcome.js";
import { LEARNING, READY, type Rig, SPEAKING, rig } from "./setup.js";

let page: Rig;
const shown = (id: string) => one(id).textContent;
const click = (id: string) => one(id).click();
const isHidden = (id: string) => one(id).closest("[hidden]") !== null;

function press(target: EventTarget, key: string, more: KeyboardEventInit = {}): KeyboardEvent {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  target.dispatchEvent(event);
  return event;
}

function set(id: string, value: string, event = "input"): void {
  one<HTMLInputElement>(id).value = value;
  one(id).dispatchEvent(new Event(event, { bubbles: true }));
}

function voice(id: string, more: Partial<VoiceInfo> = {}): VoiceInfo {
  return { id, name: id.toUpperCase(), kind: "own", createdAt: new Date(0), consentId: null, quality: null, expiresAt: null, ...more };
}

beforeEach(() => {
  page = rig(learning, frame, welcome, stage, delivery, numbers, voices);
  page.words.language = "en";
  globalThis.CSS.supports ??= () => true;
});

describe("the frame", () => {
  const main = () => document.querySelector("main") as HTMLElement;

  it("shows the view of the phase and nothing else", () => {
    const views = () => [...document.querySelectorAll<HTMLElement>("[data-view]")].filter((view) => !view.hidden).map((view) => view.dataset["view"]);
    expect(views()).toEqual(["welcome"]);
    page.send(...LEARNING);
    expect(views()).toEqual(["learning"]);
    page.send({ type: "usable", voiceId: "v", heardS: 3 });
    expect(views()).toEqual(["speaking"]);
    page.send({ type: "ended", reason: "replaced" });
    expect(views()).toEqual(["ended"]);
  });

  it("marks the state for tests and style sheets", () => {
    page.send(...LEARNING);
    expect({ ...main().dataset }).toMatchObject({ state: "learning", learning: "on", voice: "none", mic: "on", connection: "connected" });
    page.send({ type: "usable", voiceId: "v", heardS: 3 }, { type: "mic", mic: "silent" }, { type: "connection", quality: "interrupted" });
    expect({ ...main().dataset }).toMatchObject({ state: "speaking", voice: "usable", mic: "silent", connection: "interrupted" });
    page.send({ type: "learned", voiceId: "v", heardS: 5 });
    expect({ ...main().dataset }).toMatchObject({ voice: "ready", learning: "off" });
  });

  it("switches the language everywhere and remembers it", () => {
    page.send(...SPEAKING);
    click("language");
    expect(document.documentElement.lang).toBe("zh-CN");
    expect(shown("send")).toContain(TEXTS.send[1]);
    expect(shown("voice-name")).toBe(TEXTS.voiceMine[1]);
    expect(shown("connection-text")).toBe(TEXTS.connected[1]);
    expect(localStorage.getItem("voicepeer.language")).toBe("zh");
    click("language");
    expect(document.documentElement.lang).toBe("en");
  });

  it("goes through the colours and remembers them", () => {
    const themes = [0, 1, 2].map(() => {
      click("theme");
      return document.documentElement.dataset["theme"];
    });
    expect(themes).toEqual(["light", "dark", "auto"]);
    expect(localStorage.getItem("voicepeer.theme")).toBe("auto");
  });

  it("shows alerts until they are closed", () => {
    expect(one("alert").hidden).toBe(true);
    page.send({ type: "alert", alert: { code: "at_capacity", detail: "", tone: "fault" } });
    expect(one("alert").hidden).toBe(false);
    expect(one("alert").dataset).toMatchObject({ code: "at_capacity", tone: "fault" });
    click("alert-close");
    expect(one("alert").hidden).toBe(true);
  });

  it("takes back by itself only what was done", () => {
    vi.useFakeTimers();
    page.send({ type: "alert", alert: { code: "saved", detail: "Ada", tone: "done" } });
    vi.advanceTimersByTime(60_000);
    expect(one("alert").hidden).toBe(true);
    page.send({ type: "alert", alert: { code: "at_capacity", detail: "", tone: "fault" } });
    vi.advanceTimersByTime(60_000);
    expect(one("alert").hidden).toBe(false);
    vi.useRealTimers();
  });

  it("tells screen readers of each step once", () => {
    const told: (string | null)[] = [];
    page.store.watch(() => told.push(shown("status")));
    page.send(...SPEAKING, { type: "learned", voiceId: "v", heardS: 5 });
    expect([...new Set(told.filter(Boolean))]).toEqual([TEXTS.statusLearning[0], TEXTS.statusUsable[0], TEXTS.statusReady[0]]);
  });

  it("does not welcome back who was never away", () => {
    page.send({ type: "start" }, READY, { type: "chosen", current: { id: "s", name: "Nova", kind: "stock" } });
    expect(shown("status")).toBe(TEXTS.statusChosen[0]);
  });

  it("hangs up only where there is a call", () => {
    expect(one("hangup").hidden).toBe(true);
    page.send(...LEARNING);
    click("hangup");
    expect(page.asked).toEqual([["end"]]);
  });
});

describe("the welcome", () => {
  const start = () => one<HTMLButtonElement>("start");
  const submit = () => one("consent-form").dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));

  it("begins only with consent", () => {
    expect(start().disabled).toBe(true);
    expect(shown("start-status")).toBe(TEXTS.tickFirst[0]);
    one<HTMLInputElement>("consent").checked = true;
    one("consent").dispatchEvent(new Event("change"));
    expect(start().disabled).toBe(false);
    expect(shown("start-status")).toBe("");
    submit();
    expect(page.asked).toEqual([["start", ""]]);
  });

  it("says what it waits for, and cannot be started twice", () => {
    page.send({ type: "consent", given: true }, { type: "start" }, { type: "waiting", for: "microphone" });
    expect(start().disabled).toBe(true);
    expect(shown("start-status")).toBe(TEXTS.waitingMicrophone[0]);
  });

  it("asks for a key where one is needed", () => {
    expect(one("key-field").hidden).toBe(true);
    page.send({ type: "consent", given: true }, { type: "start" }, { type: "failed", code: "unauthorized", detail: "" });
    expect(one("key-field").hidden).toBe(false);
    expect(document.activeElement).toBe(one("key"));
    one<HTMLInputElement>("key").value = "0123456789abcdef";
    submit();
    expect(page.asked).toEqual([["start", "0123456789abcdef"]]);
  });

  it("goes on with a call of before a reload without asking again", () => {
    page.send({ type: "found", resumable: true });
    expect(start().disabled).toBe(false);
    expect(shown("start-text")).toBe(TEXTS.goOn[0]);
  });

  it("comes back after the end, with the reason on the way", () => {
    page.send(...SPEAKING, { type: "ended", reason: "replaced" });
    expect(shown("ending")).toContain("another tab");
    expect(one("ending").dataset["reason"]).toBe("replaced");
    expect(document.activeElement).toBe(one("restart"));
    click("restart");
    expect(page.store.state.phase).toBe("welcome");
  });

  it("tells who hung up what becomes of their voice", () => {
    page.send(...SPEAKING, { type: "ended", reason: "client_left" });
    expect(shown("ending")).toBe(TEXTS.endedByMe[0]);
  });
});

describe("learning", () => {
  it("fills the ring and says how far it is", () => {
    page.send(...LEARNING, { type: "progress", heardS: 2.5, neededS: 5, hint: null });
    const ring = one("ring");
    expect(ring.getAttribute("aria-valuenow")).toBe("50");
    expect(ring.getAttribute("aria-label")).toBe(TEXTS.ringLabel[0]);
    expect(shown("ring-text")).toBe("2.5");
    expect(ring.querySelectorAll(".lit")).toHaveLength(36);
    page.send({ type: "learned", voiceId: "v", heardS: 4.9 });
    expect(ring.getAttribute("aria-valuenow")).toBe("100");
  });

  it("says what to do better, in the page's words", () => {
    page.send(...LEARNING);
    expect(one("hint").hidden).toBe(true);
    page.send({ type: "progress", heardS: 1, neededS: 5, hint: "clipping" });
    expect(one("hint").hidden).toBe(false);
    expect(one("hint").dataset["hint"]).toBe("clipping");
    expect(shown("hint")).toBe(TEXTS.hintClipping[0]);
    page.send({ type: "progress", heardS: 1.2, neededS: 5, hint: null });
    expect(one("hint").hidden).toBe(true);
  });

  it("does not say twice that a microphone is silent", () => {
    page.send(...LEARNING, { type: "mic", mic: "silent" }, { type: "progress", heardS: 0, neededS: 5, hint: "muted" });
    expect(one("hint").hidden).toBe(true);
  });

  it("has one ring and one microphone, that move along", () => {
    page.send(...LEARNING);
    expect(one("ring").closest("[data-view]")).toHaveProperty("dataset.view", "learning");
    page.send({ type: "usable", voiceId: "v", heardS: 3 });
    for (const id of ["ring", "mic", "mic-level"]) {
      expect(document.querySelectorAll(`[data-testid=${id}]`)).toHaveLength(1);
      expect(one(id).closest("[data-view]")).toHaveProperty("dataset.view", "speaking");
    }
  });

  it("that would take the place of a voice can be left, and says so", () => {
    page.send(...SPEAKING, { type: "learn" });
    expect(shown("skip")).toBe(TEXTS.keepVoice[0]);
    page.send({ type: "learnt-nothing" }, { type: "gone", voiceId: "v" }, { type: "learn" });
    expect(shown("skip")).toBe(TEXTS.skipLearning[0]);
  });

  it("can be skipped", () => {
    page.send(...LEARNING);
    click("skip");
    expect(page.asked).toEqual([["useAny"]]);
  });
});

describe("the stage", () => {
  const field = () => one<HTMLTextAreaElement>("text");
  const spoken = () => page.asked.filter(([what]) => what === "say").map(([, words]) => words);
  const sent: PageEvent = { type: "sent", id: "a", text: "Good morning to you." };

  it("says what was typed, on Enter only", () => {
    page.send(...SPEAKING);
    expect(document.activeElement).toBe(field());
    field().value = "  Hello.  ";
    expect(press(field(), "Enter", { shiftKey: true }).defaultPrevented).toBe(false);
    expect(press(field(), "Enter", { isComposing: true }).defaultPrevented).toBe(false);
    expect(spoken()).toEqual([]);
    expect(press(field(), "Enter").defaultPrevented).toBe(true);
    expect(spoken()).toEqual(["Hello."]);
    expect(field().value).toBe("");
    press(field(), "Enter");
    expect(spoken()).toHaveLength(1);
  });

  it("says nothing, and keeps the text, while there is no voice", () => {
    page.send(...SPEAKING, { type: "gone", voiceId: "v" });
    expect(one<HTMLButtonElement>("send").disabled).toBe(true);
    field().value = "Hello.";
    press(field(), "Enter");
    expect(spoken()).toEqual([]);
    expect(field().value).toBe("Hello.");
    expect(shown("alert-text")).toBe(TEXTS.chooseVoice[0]);
    expect(one<HTMLDetailsElement>("library").open).toBe(true);
    page.send({ type: "chosen", current: { id: "s", name: "Nova", kind: "stock" } });
    expect(isHidden("alert")).toBe(true);
  });

  it("keeps what is being typed over a reload", () => {
    const reloaded = () => {
      const kept = sessionStorage.getItem("voicepeer.draft");
      page = rig();
      if (kept !== null) sessionStorage.setItem("voicepeer.draft", kept);
      for (const view of [learning, frame, stage, voices]) view(page);
      page.send(...SPEAKING);
    };
    page.send(...SPEAKING);
    set("text", "Half a sen");
    reloaded();
    expect(field().value).toBe("Half a sen");
    press(field(), "Enter");
    expect(spoken()).toEqual(["Half a sen"]);
    reloaded();
    expect(field().value).toBe("");
  });

  it("offers to say again what was lost, and what may not fail a second time", () => {
    page.send(...SPEAKING, sent);
    const offered = () => !isHidden("say-again");
    expect(offered()).toBe(false);
    page.send({ type: "over", id: "a", state: "failed", playedMs: 0, fault: { code: "text_rejected", detail: "" } });
    expect(offered()).toBe(false);
    page.send({ type: "again", id: "a" }, { type: "over", id: "a", state: "lost", playedMs: 0, fault: null });
    expect(offered()).toBe(true);
    click("say-again");
    expect(page.asked).toEqual([["sayAgain", "a"]]);
    expect(document.activeElement).toBe(field());
  });

  it("shows a text in its place when it is sent after all", () => {
    page.send(...SPEAKING, { type: "held", id: "h", text: "One." }, { type: "held", id: "i", text: "Two." });
    page.send({ type: "released", heldId: "h", id: "u1" });
    const items = [...document.querySelectorAll<HTMLElement>("[data-testid=utterance]")];
    expect(items.map(({ dataset }) => [dataset["id"], dataset["state"]])).toEqual([["u1", "waiting"], ["i", "held"]]);
  });

  it("interrupts by button and by Esc, where there is something to interrupt", () => {
    page.send(...SPEAKING);
    expect(one<HTMLButtonElement>("interrupt").disabled).toBe(true);
    press(document, "Escape");
    page.send(sent);
    click("interrupt");
    press(document, "Escape");
    expect(page.asked).toEqual([["interrupt"], ["interrupt"]]);
  });

  it("lights words up, with a whole copy for screen readers", () => {
    page.send(...SPEAKING, sent, { type: "word", id: "a", start: 5, end: 12 });
    const item = one("utterance");
    expect(item.dataset).toMatchObject({ id: "a", state: "playing" });
    expect(["heard", "now", "rest"].map((name) => item.querySelector(`.${name}`)?.textContent)).toEqual(["Good ", "morning", " to you."]);
    expect(item.querySelector("p")?.getAttribute("aria-hidden")).toBe("true");
    expect(item.querySelector(".visually-hidden")?.textContent).toBe("Good morning to you.");
  });

  it("says what became of each text", () => {
    page.send(...SPEAKING, sent, { type: "sent", id: "b", text: "Two." });
    const notes = () => [...document.querySelectorAll("[data-testid=utterance] small")].map((one) => one.textContent);
    expect(notes()).toEqual([TEXTS.notePreparing[0], TEXTS.noteWaiting[0]]);
    page.send({ type: "audible", id: "a", latencyMs: 140 }, { type: "over", id: "a", state: "done", playedMs: 2_340, fault: null });
    expect(notes()).toEqual(["2.3 s, heard after 140 ms", TEXTS.notePreparing[0]]);
    page.send({ type: "over", id: "b", state: "cancelled", playedMs: 0, fault: null });
    expect(notes()[1]).toBe(TEXTS.noteDropped[0]);
    page.send({ type: "sent", id: "c", text: "x" }, { type: "over", id: "c", state: "failed", playedMs: 0, fault: { code: "text_too_long", detail: "" } });
    expect(notes()[2]).toContain("too long");
    page.send({ type: "sent", id: "d", text: "x" }, { type: "over", id: "d", state: "cancelled", playedMs: 1_000, fault: null },
      { type: "sent", id: "e", text: "?" }, { type: "over", id: "e", state: "done", playedMs: 0, fault: null },
      { type: "sent", id: "f", text: "x" }, { type: "over", id: "f", state: "lost", playedMs: 0, fault: null });
    expect(notes().slice(3)).toEqual(["interrupted after 1.0 s", TEXTS.noteNothing[0], TEXTS.noteLost[0]]);
  });

  it("writes markup of a text as text", () => {
    page.send(...SPEAKING, { type: "sent", id: "a", text: "<b>bold</b>" });
    expect(one("utterance").querySelector("b")).toBeNull();
    expect(one("utterance").querySelector(".rest")?.textContent).toBe("<b>bold</b>");
  });

  it("suggests something to say, until something was said", () => {
    page.send(...SPEAKING);
    const [first] = document.querySelectorAll<HTMLElement>("[data-testid=suggestion]");
    first?.click();
    expect(spoken()).toEqual([TEXTS.suggestion1[0]]);
    expect(isHidden("suggestions")).toBe(false);
    page.send(sent);
    expect(isHidden("suggestions")).toBe(true);
  });

  it("suggests what the engine can say", () => {
    page.send(...SPEAKING);
    page.words.language = "zh";
    const first = () => document.querySelector("[data-testid=suggestion]")?.textContent;
    expect(first()).toBe(TEXTS.suggestion1[1]);
    if (READY.type === "ready") page.send({ type: "ready", ability: { ...READY.ability, languages: ["en-us"] } });
    expect(first()).toBe(TEXTS.suggestion1[0]);
  });
});

describe("delivery", () => {
  it("steers, within what the engine can", () => {
    page.send(...SPEAKING);
    expect([one<HTMLInputElement>("energy").min, one<HTMLInputElement>("energy").max]).toEqual(["0.25", "2"]);
    set("speed", "1.5");
    set("pitch", "-3");
    set("emotion", "happy", "change");
    set("speech-language", "zh", "change");
    expect(page.asked).toEqual([["steer", { speed: 1.5 }], ["steer", { pitchSemitones: -3 }], ["steer", { emotion: "happy" }],
      ["steer", { language: "zh" }]]);
    click("delivery-reset");
    expect(page.asked.at(-1)).toEqual(["steer", PLAIN]);
  });

  it("shows values with their units, in the page's language", () => {
    page.send(...SPEAKING, { type: "manner", manner: { speed: 1.5, pitchSemitones: 2 } });
    expect(shown("speed-value")).toBe("1.50 ×");
    expect(shown("pitch-value")).toBe("+2.0 semitones");
    expect(one("pitch").getAttribute("aria-valuetext")).toBe("+2.0 semitones");
    page.words.language = "zh";
    expect(shown("speed-value")).toBe("1.50 倍");
  });

  it("offers the engine's languages and emotions by name, the neutral one first", () => {
    page.send(...SPEAKING);
    const labels = (id: string) => [...one<HTMLSelectElement>(id).options].map((option) => option.text);
    expect(labels("emotion")).toEqual(["Neutral", "Happy"]);
    expect(labels("speech-language")).toEqual(["Automatic", "American English", "Chinese"]);
    page.words.language = "zh";
    expect(labels("emotion")).toEqual(["平静", "开心"]);
    expect(one<HTMLSelectElement>("emotion").value).toBe("neutral");
  });
});

describe("numbers", () => {
  it("are dashes until something was measured", () => {
    page.send(...SPEAKING);
    expect([shown("latency"), shown("similarity")]).toEqual(["–", "–"]);
    expect(one("plot").childElementCount).toBe(0);
    expect(one("plot").getAttribute("aria-label")).toBe(TEXTS.plotEmpty[0]);
  });

  it("show the newest, and a plot of all with a summary in words", () => {
    page.send(...SPEAKING);
    for (const [id, latencyMs, cosine] of [["a", 200, 0.8], ["b", 140.6, 0.914]] as const) {
      page.send({ type: "sent", id, text: "x" }, { type: "audible", id, latencyMs }, { type: "similarity", id, cosine });
    }
    expect(shown("latency")).toBe("141 ms");
    expect(one("latency").dataset["ms"]).toBe("140.6");
    expect(shown("similarity")).toBe("91 %");
    expect(one("similarity").dataset["value"]).toBe("0.914");
    expect(one("plot").querySelectorAll("rect")).toHaveLength(2);
    expect(one("plot").querySelectorAll("polyline")).toHaveLength(1);
    expect(one("plot").getAttribute("aria-label")).toBe("The last 2: heard after 170 ms on average, likeness 86 %");
  });
});

describe("voices", () => {
  const items = () => [...document.querySelectorAll<HTMLElement>("[data-testid=voice]")];
  const listed = (...all: VoiceInfo[]): PageEvent => ({ type: "voices", voices: all });

  it("names the one that speaks, and what it is", () => {
    page.send(...SPEAKING);
    expect([shown("voice-name"), shown("voice-status")]).toEqual([TEXTS.voiceMine[0], TEXTS.voiceLearning[0]]);
    page.send({ type: "learned", voiceId: "v", heardS: 5 });
    expect(shown("voice-status")).toBe("Learned from 5.0 s of speech");
    page.send({ type: "chosen", current: { id: "s", name: "Nova", kind: "stock" } });
    expect([shown("voice-name"), shown("voice-status")]).toEqual(["Nova", TEXTS.voiceStock[0]]);
    page.send({ type: "gone", voiceId: "s" }, { type: "mic", mic: "none" });
    expect([shown("voice-name"), shown("voice-status")]).toEqual([TEXTS.voiceNone[0], TEXTS.listenOnly[0]]);
  });

  it("lists one's own of this call first, then the saved ones; none that expire, none of the engine", () => {
    page.send(...SPEAKING, listed(voice("w"), voice("x", { expiresAt: new Date(1) }), voice("nova", { kind: "stock" })));
    expect(items().map(({ dataset }) => [dataset["voiceId"], dataset["kind"]])).toEqual([["v", "call"], ["w", "saved"]]);
    expect(items()[0]?.getAttribute("aria-current")).toBe("true");
    page.send(listed(voice("v"), voice("w")), { type: "saved", id: "v", name: "V" });
    expect(items().map(({ dataset }) => dataset["kind"])).toEqual(["saved", "saved"]);
    expect(shown("voice-name")).toBe("V");
  });

  it("does with a saved voice what its buttons say", () => {
    page.send(...SPEAKING, listed(voice("w")));
    const item = items()[1] as HTMLElement;
    for (const id of ["voice-use", "voice-rename", "voice-export", "voice-delete"]) one(id, item).click();
    expect(page.asked.map(([what]) => what)).toEqual(["use", "rename", "export", "remove"]);
    expect(page.asked[0]).toEqual(["use", { id: "w", name: "W", kind: "saved" }]);
    expect(one("voice-delete", item).getAttribute("aria-label")).toBe("Delete W");
  });

  it("keep the focus where it was when the list is made anew", () => {
    page.send(...SPEAKING, listed(voice("w"), voice("x")));
    one("voice-use", items()[1]).focus();
    page.send({ type: "chosen", current: { id: "w", name: "W", kind: "saved" } });
    expect(document.activeElement).toBe(one("voice-use", items()[1]));
    one("voice-rename", items()[2]).focus();
    page.send({ type: "gone", voiceId: "w" });
    expect(document.activeElement).toBe(one("voice-rename", items()[1]));
    page.send({ type: "gone", voiceId: "x" });
    expect(document.activeElement).toBe(one("library").querySelector("summary"));
  });

  it("can be kept once there is one that is not, under a name", () => {
    page.send(...LEARNING);
    expect(one("save-form").hidden).toBe(true);
    page.send({ type: "usable", voiceId: "v", heardS: 3 });
    expect(one("save-form").hidden).toBe(false);
    const submit = () => one("save-form").dispatchEvent(new Event("submit", { cancelable: true }));
    submit();
    expect(page.asked).toEqual([]);
    one<HTMLInputElement>("save-name").value = " Ada ";
    submit();
    expect(page.asked.map(([what, , name]) => [what, name])).toEqual([["save", "Ada"]]);
    page.send(listed(voice("v")));
    expect(one("save-form").hidden).toBe(true);
  });

  it("of the engine are used when they are chosen", () => {
    page.send(...SPEAKING, listed(voice("nova", { kind: "stock", name: "Nova" })));
    set("stock", "nova", "change");
    expect(page.asked).toEqual([["use", expect.objectContaining({ id: "nova", name: "Nova", kind: "stock" })]]);
  });

  it("are mixed by a slider, two different ones only", () => {
    page.send(...SPEAKING, listed(voice("w"), voice("nova", { kind: "stock" })));
    expect([...one<HTMLSelectElement>("mix-a").options].map(({ value }) => value)).toEqual(["v", "w", "nova"]);
    set("mix-b", "nova");
    set("mix", "30");
    expect(shown("mix-value")).toBe("70 : 30");
    click("mix-use");
    expect(page.asked[0]?.slice(0, 1)).toEqual(["mix"]);
    expect(page.asked[0]?.slice(2)).toEqual([expect.objectContaining({ id: "v" }), expect.objectContaining({ id: "nova" }), 0.3]);
    set("mix-b", "v");
    expect(one<HTMLButtonElement>("mix-use").disabled).toBe(true);
  });

  it("let the speaker interrupt, or learn again", () => {
    page.send(...SPEAKING);
    click("again");
    one<HTMLInputElement>("barge-in").checked = true;
    one("barge-in").dispatchEvent(new Event("change"));
    expect(page.asked).toEqual([["learn"], ["letInterrupt", true]]);
    page.send({ type: "mic", mic: "none" });
    expect(one<HTMLInputElement>("barge-in").disabled).toBe(true);
  });
});

describe("dialogs", () => {
  it("say what is deleted, with the focus on what does no harm", async () => {
    const questions = dialogs(page.words);
    const answer = questions.mayDelete("Ada");
    expect(shown("confirm-title")).toBe("Delete Ada?");
    expect(shown("confirm-text")).toBe(TEXTS.deleteText[0]);
    expect(document.activeElement).toBe(one("confirm-no"));
    one<HTMLDialogElement>("confirm").close("yes");
    expect(await answer).toBe(true);
    const second = questions.mayDelete("Ada");
    one<HTMLDialogElement>("confirm").close();
    expect(await second).toBe(false);
  });

  describe("for a name", () => {
    const dialog = () => one<HTMLDialogElement>("rename");
    const field = () => one<HTMLInputElement>("rename-name");
    const enter = async (name: string) => {
      field().value = name;
      dialog().querySelector("form")?.dispatchEvent(new Event("submit", { cancelable: true }));
      await Promise.resolve();
      await Promise.resolve();
    };

    it("take one, but no empty one, and the old one without a question", async () => {
      const take = vi.fn(async () => null);
      const { name } = dialogs(page.words);
      const asked = name("Ada", take);
      expect(field().value).toBe("Ada");
      await enter("  ");
      expect(dialog().open).toBe(true);
      await enter("Bea ");
      await asked;
      expect(take.mock.calls).toEqual([["Bea"]]);
      const again = name("Ada", take);
      await enter("Ada");
      await again;
      const cancelled = name("Ada", take);
      click("rename-cancel");
      await cancelled;
      expect(take).toHaveBeenCalledOnce();
    });

    it("stay open with what was typed, and say why, until a name is taken", async () => {
      const detail = "Expected `str` matching regex";
      const asked = dialogs(page.words).name("Ada", async (name) => (name === "Bea" ? null : { code: "invalid_value", detail }));
      await enter("\u202eadA");
      expect(dialog().open).toBe(true);
      expect(field().value).toBe("\u202eadA");
      expect(isHidden("rename-fault")).toBe(false);
      expect(shown("rename-fault")).toBe(TEXTS.nameRefused[0]);
      await enter("Bea");
      await asked;
      expect(dialog().open).toBe(false);
      void dialogs(page.words).name("Ada", async () => null);
      expect(isHidden("rename-fault")).toBe(true);
    });
  });
});
