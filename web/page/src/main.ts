/** The page: makes everything and puts it together. */

import { roomOf } from "./address.js";
import { CONSENT_VERSION, Call } from "./call.js";
import { one } from "./dom.js";
import { VERSION, choice, keepCall, keepConsent, keptCall, keptConsent } from "./keeping.js";
import { Library } from "./library.js";
import type { Page } from "./page.js";
import { inCall } from "./phase.js";
import { INITIAL, type PageEvent, type PageState, reduce } from "./state.js";
import { Store } from "./store.js";
import { delivery } from "./views/delivery.js";
import { dialogs } from "./views/dialogs.js";
import { frame } from "./views/frame.js";
import { learning } from "./views/learning.js";
import { numbers } from "./views/numbers.js";
import { room } from "./views/room.js";
import { stage } from "./views/stage.js";
import { voices } from "./views/voices.js";
import { welcome } from "./views/welcome.js";
import { Words } from "./words.js";

const store = new Store<PageState, PageEvent>(INITIAL, reduce);
const words = new Words();
const player = one<HTMLAudioElement>("voice-audio");
let call: Call | null = null;
/** What the service calls the room of a key that is for one alone. */
const OWN_ROOM = "default";
/** The room of the address, or one of this visitor's own, which others can be invited to. */
const named = roomOf(location.search);
const address = named ?? null;
let place = address ?? newRoom();
/** Whoever was invited is with the others as soon as there is a voice. */
let arriving = false;

const page: Page = {
  store,
  words,
  library: new Library(store, dialogs(words)),
  call: () => call,
  start(key, joinOnly = false) {
    if (!store.state.consented && !store.state.resumable && !joinOnly) return;
    const kept = store.state.resumable ? keptCall() : null;
    arriving = address !== null && kept === null; // After a reload the service sees to it.
    store.send({ type: "start" });
    call = new Call(store, {
      key: key || keyOfAddress(), player, consent: words.say("consentStatement"), kept, room: place, name: choice("name") ?? "",
      joinOnly, goTo: (service) => goTo(service, call?.room ?? place),
    });
    void call.start();
  },
  async enter() {
    const { invited } = store.state;
    if (!await call?.enter(choice("name") ?? "") || invited) return;
    store.send({ type: "invited" });
    // So that a reload, or this address in another browser, leads here as well.
    history.replaceState(null, "", linkTo(call?.room ?? place) + location.hash);
    await page.copyLink();
  },
  async copyLink() {
    const link = linkTo(call?.room ?? place);
    const copied = await navigator.clipboard?.writeText(link).then(() => true, () => false);
    const code = copied ? "link-copied" : "link-to-copy";
    store.send({ type: "alert", alert: { code, detail: link, tone: copied ? "done" : "notice" } });
  },
};

// The microphone's select is part of what `learning` puts in its place.
learning(page);
for (const view of [frame, welcome, stage, delivery, numbers, voices, room]) view(page);

if (address !== null) store.send({ type: "invited" });
if (named === undefined) store.send({ type: "alert", alert: { code: "link-broken", detail: "", tone: "fault" } });
if (keptConsent(CONSENT_VERSION)) store.send({ type: "consent", given: true });
store.watch((state, before) => {
  if (state.consented !== before.consented) keepConsent(CONSENT_VERSION, state.consented);
  if (state.phase === "speaking" && arriving) {
    arriving = false;
    void page.enter();
  }
  if (state.phase === "ended" || state.phase === "error") {
    const key = call?.key ?? "";
    call = null;
    if (!state.resumable) keepCall(null);
    // A key may be for one room alone, which nobody but the service knows by its name.
    if (state.alert?.code === "forbidden" && address === null && place !== OWN_ROOM) {
      place = OWN_ROOM;
      page.start(key);
    }
  } else if (inCall(state.phase) && isWorthKeeping(state, before)) keep(state);
});

addEventListener("pagehide", () => {
  if (call !== null && inCall(store.state.phase)) keep(store.state);
  call?.leave();
});
// Another tab or device may have changed the voices meanwhile.
addEventListener("focus", () => void call?.refresh());
// A page out of the back-forward cache has no call any more, but can go on with it.
addEventListener("pageshow", ({ persisted }) => { if (persisted) location.reload(); });

history.scrollRestoration = "manual";
void returnToCall();

/** After a reload: at once where the microphone is allowed already, else after a click. */
async function returnToCall(): Promise<void> {
  if (keptCall() === null) return;
  store.send({ type: "found", resumable: true });
  const permission = await navigator.permissions?.query({ name: "microphone" as PermissionName }).catch(() => null);
  if (permission?.state === "granted" && store.state.phase === "welcome") page.start("");
}

function isWorthKeeping(state: PageState, before: PageState): boolean {
  return state.current !== before.current || state.learning.stage !== before.learning.stage
    || state.learning.on !== before.learning.on || state.manner !== before.manner
    || state.bargeIn !== before.bargeIn || state.phase !== before.phase || state.said.length !== before.said.length;
}

function keep({ current, learning: learnt, earlier, manner, bargeIn, said, figures }: PageState): void {
  if (call?.resumption == null) return;
  const { resumption, key, consent, room: place } = call;
  // What cannot be used yet is lost with the page; what spoke before it is not.
  const spoken = earlier ?? { current, learning: { ...learnt, hint: null } };
  const back = { ...spoken, manner, bargeIn, said, figures };
  keepCall({ version: VERSION, resumption, key, consent, room: place, back });
}

/** Whoever invites others may put the key behind the address's #, which browsers do not send. */
function keyOfAddress(): string | null {
  return new URLSearchParams(location.hash.slice(1)).get("key");
}

/** 80 random bits: whoever has not got the link cannot guess it. */
function newRoom(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => (byte & 31).toString(32)).join("");
}

/** Where others join a room; no key is in it. */
function linkTo(place: string, service = location.origin + location.pathname): string {
  return `${service}?room=${place}`;
}

/** The same page of another service, which has the room; a key in the address goes along, for it is good there as well. */
function goTo(service: string, room: string): void {
  const url = new URL(service, location.href);
  const isSafe = url.protocol === "https:" || url.protocol === location.protocol;
  if (isSafe && url.origin !== location.origin) location.assign(linkTo(room, url.origin + url.pathname) + location.hash);
}
