/** The page: makes everything and puts it together. */

import { CONSENT_VERSION, Call } from "./call.js";
import { one } from "./dom.js";
import { VERSION, keepCall, keepConsent, keptCall, keptConsent } from "./keeping.js";
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
import { stage } from "./views/stage.js";
import { voices } from "./views/voices.js";
import { welcome } from "./views/welcome.js";
import { Words } from "./words.js";

const store = new Store<PageState, PageEvent>(INITIAL, reduce);
const words = new Words();
const player = one<HTMLAudioElement>("voice-audio");
let call: Call | null = null;

const page: Page = {
  store,
  words,
  library: new Library(store, dialogs(words)),
  call: () => call,
  start(key) {
    if (!store.state.consented && !store.state.resumable) return;
    const kept = store.state.resumable ? keptCall() : null;
    store.send({ type: "start" });
    call = new Call(store, { key: key || keyOfAddress(), player, consent: words.say("consentStatement"), kept });
    void call.start();
  },
};

// The microphone's select is part of what `learning` puts in its place.
learning(page);
for (const view of [frame, welcome, stage, delivery, numbers, voices]) view(page);

if (keptConsent(CONSENT_VERSION)) store.send({ type: "consent", given: true });
store.watch((state, before) => {
  if (state.consented !== before.consented) keepConsent(CONSENT_VERSION, state.consented);
  if (state.phase === "ended" || state.phase === "error") {
    call = null;
    if (!state.resumable) keepCall(null);
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
  const { resumption, key, consent } = call;
  // What cannot be used yet is lost with the page; what spoke before it is not.
  const spoken = earlier ?? { current, learning: { ...learnt, hint: null } };
  const back = { ...spoken, manner, bargeIn, said, figures };
  keepCall({ version: VERSION, resumption, key, consent, back });
}

/** Whoever invites others may put the key behind the address's #, which browsers do not send. */
function keyOfAddress(): string | null {
  return new URLSearchParams(location.hash.slice(1)).get("key");
}
