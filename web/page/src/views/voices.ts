/** The voice that speaks, and all others: saved ones, those of the engine, and mixes. */

import type { VoiceInfo } from "@voicepeer/client";
import type { Call } from "../call.js";
import { iconButton, make, offer, one, write } from "../dom.js";
import { type Page, show } from "../page.js";
import type { Current, PageState } from "../state.js";
import type { TextKey } from "../texts.js";

const OF_KIND: Readonly<Record<Current["kind"], TextKey>> = {
  call: "voiceKept", saved: "voiceSaved", stock: "voiceStock", mix: "voiceMixed",
};

export function voices(page: Page): void {
  current(page);
  own(page);
  saving(page);
  stock(page);
  mixing(page);
  const file = one<HTMLInputElement>("import");
  file.addEventListener("change", () => {
    const [chosen] = file.files ?? [];
    const call = page.call();
    if (chosen !== undefined && call !== null) void page.library.import(call, chosen);
    file.value = "";
  });
}

function current(page: Page): void {
  const { words } = page;
  const bargeIn = one<HTMLInputElement>("barge-in");
  one("again").addEventListener("click", () => void page.call()?.learn());
  bargeIn.addEventListener("change", () => void page.call()?.letInterrupt(bargeIn.checked));
  show(page, (state, before) => {
    // Where another one can be chosen.
    if (state.current === null && before.current !== null) one<HTMLDetailsElement>("library").open = true;
    write(one("voice-name"), nameOf(page, state.current));
    write(one("voice-status"), statusOf(page, state));
    write(one("again"), words.say(state.learning.stage === "none" ? "learnMine" : "again"));
    bargeIn.checked = state.bargeIn;
    bargeIn.disabled = state.mic === "none";
  });
}

function nameOf({ words }: Page, voice: Current | null): string {
  if (voice === null) return words.say("voiceNone");
  return voice.name || words.say("voiceMine");
}

function statusOf({ words }: Page, { current: voice, learning, mic }: PageState): string {
  if (voice === null) return words.say(mic === "none" ? "listenOnly" : "chooseVoice");
  if (voice.kind !== "call") return words.say(OF_KIND[voice.kind]);
  if (learning.on) return words.say("voiceLearning");
  if (learning.heardS === 0) return words.say("voiceKept");
  return words.say("voiceReady", { seconds: words.number(learning.heardS, 1) });
}

/** Voices that outlive the call; those of calls that nobody saved expire, and are left out. */
function saved({ voices: all }: PageState): VoiceInfo[] {
  return all.filter(({ kind, expiresAt }) => kind === "own" && expiresAt === null);
}

/** The voice that was learned in this call, while it is not among the saved ones. */
function unsaved(page: Page, state: PageState): Pick<VoiceInfo, "id" | "name"> | null {
  const id = state.learning.voiceId;
  if (id === null || saved(state).some((voice) => voice.id === id)) return null;
  return { id, name: page.words.say("voiceMine") };
}

function own(page: Page): void {
  const list = one("voices");
  show(page, (state, before) => {
    const changed = state.voices !== before.voices || state.current !== before.current || state === before
      || state.learning.voiceId !== before.learning.voiceId;
    if (!changed) return;
    const mine = unsaved(page, state);
    const first = mine === null ? [] : [entryOf(page, state, mine.id, mine.name, "call")];
    const focus = focused(list);
    list.replaceChildren(...first, ...saved(state).map((voice) => entry(page, state, voice)));
    focus?.();
  });
}

/** Gives the focus back to what stands where it was; that of a voice that is gone, to the heading. */
function focused(list: HTMLElement): (() => void) | null {
  const button = document.activeElement;
  const item = button?.closest<HTMLElement>("[data-voice-id]");
  if (!list.contains(button) || item == null) return null;
  const [voice, what] = [item.dataset["voiceId"], (button as HTMLElement).dataset["testid"]];
  return () => {
    const same = [...list.children].find((one) => (one as HTMLElement).dataset["voiceId"] === voice);
    const next = same?.querySelector<HTMLElement>(`[data-testid="${what}"]`) ?? list.closest("details")?.querySelector("summary");
    next?.focus();
  };
}

const ICONS = {
  rename: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  export: "M12 4v11M7 10l5 5 5-5M5 20h14",
  delete: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
} as const;

function entry(page: Page, state: PageState, voice: VoiceInfo): HTMLLIElement {
  const { words, library } = page;
  const act = (how: (call: Call) => void) => () => {
    const call = page.call();
    if (call !== null) how(call);
  };
  const item = entryOf(page, state, voice.id, voice.name, "saved");
  item.append(
    iconButton("voice-rename", ICONS.rename, act((call) => void library.rename(call, voice)), words.say("renameVoice", { name: voice.name })),
    iconButton("voice-export", ICONS.export, act((call) => void library.export(call, voice)), words.say("exportVoice", { name: voice.name })),
    iconButton("voice-delete", ICONS.delete, act((call) => void library.remove(call, voice)), words.say("deleteVoice", { name: voice.name })),
  );
  return item;
}

/** A voice with a button to speak with it. */
function entryOf(page: Page, state: PageState, id: string, name: string, kind: "call" | "saved"): HTMLLIElement {
  const { words } = page;
  const use = make("button", {
    type: "button", class: "name", "data-testid": "voice-use", title: words.say("useVoice", { name }),
  }, name, ...(kind === "call" ? [make("small", {}, words.say("ofThisCall"))] : []));
  use.addEventListener("click", () => void page.call()?.use({ id, name: kind === "call" ? "" : name, kind }));
  return make("li", {
    "data-testid": "voice", "data-voice-id": id, "data-kind": kind, "aria-current": String(state.current?.id === id),
  }, use);
}

function saving(page: Page): void {
  const [form, name] = [one("save-form"), one<HTMLInputElement>("save-name")];
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const call = page.call();
    const wish = name.value.trim();
    if (call === null || wish === "") return name.focus();
    void page.library.save(call, wish).then((done) => { if (done) name.value = ""; });
  });
  // Only what was learned in this call can be kept.
  show(page, (state) => { form.hidden = unsaved(page, state) === null; });
}

function stock(page: Page): void {
  const select = one<HTMLSelectElement>("stock");
  select.addEventListener("change", () => {
    const voice = page.store.state.voices.find(({ id }) => id === select.value);
    if (voice !== undefined) void page.call()?.use({ ...voice, kind: "stock" });
  });
  show(page, ({ voices: all, current: voice }) => {
    const options = all.filter(({ kind }) => kind === "stock").map(({ id, name }) => ({ value: id, label: name }));
    offer(select, [{ value: "", label: page.words.say("stockChoose") }, ...options], "");
    select.value = voice?.kind === "stock" ? voice.id : "";
  });
}

function mixing(page: Page): void {
  const [first, second] = [one<HTMLSelectElement>("mix-a"), one<HTMLSelectElement>("mix-b")];
  const share = one<HTMLInputElement>("mix");
  const button = one<HTMLButtonElement>("mix-use");
  const label = () => {
    const percent = share.valueAsNumber;
    write(one("mix-value"), `${100 - percent} : ${percent}`);
    share.setAttribute("aria-valuetext", `${percent} %`);
    button.disabled = first.value === second.value;
  };
  for (const element of [first, second, share]) element.addEventListener("input", label);
  button.addEventListener("click", () => {
    const all = mixable(page, page.store.state);
    const [a, b] = [first, second].map((select) => all.find(({ id }) => id === select.value));
    const call = page.call();
    if (call !== null && a !== undefined && b !== undefined) void page.library.mix(call, a, b, share.valueAsNumber / 100);
  });
  show(page, (state) => {
    const options = mixable(page, state).map(({ id, name }) => ({ value: id, label: name }));
    offer(first, options, options[0]?.value ?? "");
    offer(second, options, options[1]?.value ?? "");
    label();
  });
}

/** Everything that a mix can be made of: the voice of the call as well, until it is saved. */
function mixable(page: Page, state: PageState): Pick<VoiceInfo, "id" | "name">[] {
  const others = [...saved(state), ...state.voices.filter(({ kind }) => kind === "stock")];
  const mine = unsaved(page, state);
  return mine === null ? others : [mine, ...others];
}
