/** The demo page: consent, microphone, enrolment, text. All protocol is in voicepeer.js. */

import { VoicePeer, VoicePeerError } from "./voicepeer.js";
import { LevelMeter } from "./level.js";

const byId = (id) => document.getElementById(id);
const ui = Object.fromEntries(
  ["alert", "before", "consent", "consent-text", "key-field", "key", "start", "start-hint", "learning", "ring",
    "ring-fill", "ring-text", "level", "status", "coach", "again", "speaking", "form", "text", "send", "interrupt",
    "latency", "said", "after", "restart", "engine", "hangup", "voice"].map((id) => [id, byId(id)]),
);

/** The quietest level of our own voice that a person hears, in dBFS. */
const AUDIBLE_DBFS = -50;
/** Sound of the text before may still be on its way for this long. */
const SETTLED_MS = 300;
const READY_POLL_LIMIT_MS = 120_000;

const ADVICE = {
  at_capacity: "All places are taken at the moment. Please try again in a minute.",
  room_full: "This room is full at the moment. Please try again in a minute.",
  unauthorized: "This service needs an access key. Enter it and try again.",
  NotAllowedError: "The microphone was not allowed. Allow it in the browser's address bar, then try again.",
  NotFoundError: "No microphone was found. Connect one, then try again.",
  NotReadableError: "The microphone is in use by another program. Close that, then try again.",
  insecure: "Browsers allow the microphone only over HTTPS or on localhost. Open this page at such an address.",
};

/** Why calls end, for a person; the words are those of `bye` in docs/wire.md. */
const ENDINGS = {
  replaced: "it was continued from another tab or device",
  resumed_elsewhere: "it was continued from another tab or device",
  shutting_down: "the service is being restarted. Try again in a minute",
  connect_timeout: "no media connection came about. A firewall may block it",
  client_vanished: "the service heard nothing from this page any more",
  connection_lost: "the connection was lost",
  channel_closed: "the connection was lost",
  signaling_lost: "the connection to the service was lost",
  ended_by_operator: "whoever runs the service has ended it",
  internal: "the service had a problem of its own. Try again",
};

let call = null;

/** Everything that lives as long as one call. */
class Call {
  constructor(stream, key) {
    this.stream = stream;
    this.audio = new AudioContext();
    this.mic = new LevelMeter(this.audio, stream);
    this.voice = null;
    this.peer = new VoicePeer({ key });
    this.said = new Map();
    this.usable = false;
    this.lastSoundAt = -Infinity;
  }

  end() {
    this.peer.close();
    this.mic.stop();
    this.voice?.stop();
    this.stream.getTracks().forEach((track) => track.stop());
    void this.audio.close();
    ui.voice.srcObject = null;
  }
}

/** One text on the page, lit up word by word. Offsets on the wire count code points. */
class SaidText {
  constructor(text) {
    this.points = Array.from(text);
    this.sentAt = performance.now();
    this.started = false;
    this.item = document.createElement("li");
    this.box = document.createElement("p");
    this.note = document.createElement("small");
    this.parts = ["heard", "now", "rest"].map((name) => {
      const span = document.createElement("span");
      span.className = name;
      return span;
    });
    this.box.append(...this.parts);
    this.item.append(this.box, this.note);
    this.light(0, 0);
    this.end("waiting", "waiting");
  }

  light(start, end) {
    const slices = [[0, start], [start, end], [end, undefined]];
    slices.forEach(([from, to], index) => {
      this.parts[index].textContent = this.points.slice(from, to).join("");
    });
    // A long text scrolls along with what is heard.
    this.box.scrollTop = this.parts[1].offsetTop - this.box.clientHeight / 2;
  }

  end(state, note) {
    this.item.dataset.state = state;
    this.note.textContent = note;
  }
}

function show(...names) {
  for (const name of ["before", "learning", "speaking", "after"]) ui[name].hidden = !names.includes(name);
  ui.hangup.hidden = !names.includes("learning");
}

function complain(message) {
  ui.alert.textContent = message;
  ui.alert.hidden = !message;
}

function say(message) {
  if (ui.status.textContent !== message) ui.status.textContent = message;
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}

async function microphone() {
  if (!navigator.mediaDevices?.getUserMedia) throw new VoicePeerError("insecure", ADVICE.insecure);
  // The raw voice clones best; echo is cancelled because we may be heard through loudspeakers.
  return navigator.mediaDevices.getUserMedia({
    audio: { echoCancellation: true, noiseSuppression: false, autoGainControl: false, channelCount: 1 },
  });
}

async function serviceReady() {
  const giveUpAt = performance.now() + READY_POLL_LIMIT_MS;
  for (;;) {
    const answer = await fetch("readyz", { cache: "no-store" }).catch(() => null);
    if (!answer) throw new VoicePeerError("unreachable", "The service cannot be reached. Is it running?");
    if (answer.ok) return;
    const { status, reason } = await answer.json().catch(() => ({}));
    if (status === "at_capacity") throw new VoicePeerError("at_capacity", ADVICE.at_capacity);
    if (performance.now() > giveUpAt) throw new VoicePeerError("not_ready", `The service is still not ready: ${reason}.`);
    ui["start-hint"].textContent = `The service is getting ready: ${reason ?? "starting"}. This page waits for it.`;
    await new Promise((resolve) => { setTimeout(resolve, 1000 * Math.min(5, Number(answer.headers.get("Retry-After")) || 2)); });
  }
}

async function start() {
  complain("");
  ui.start.disabled = true;
  ui["start-hint"].textContent = "Connecting …";
  let stream = null;
  try {
    await serviceReady();
    ui["start-hint"].textContent = "Waiting for the microphone …";
    stream = await microphone();
    ui["start-hint"].textContent = "Connecting …";
    call = new Call(stream, ui.key.value || keyFromAddress());
    listen(call);
    await call.peer.connect(stream);
    begin(call);
  } catch (error) {
    if (call) call.end();
    else stream?.getTracks().forEach((track) => track.stop());
    call = null;
    refuse(error);
  }
}

function keyFromAddress() {
  return new URLSearchParams(location.hash.slice(1)).get("key");
}

function refuse(error) {
  const code = typeof error.code === "string" ? error.code : error.name; // a DOMException's is a number
  complain(ADVICE[code] ?? error.message);
  ui["key-field"].hidden = code !== "unauthorized" && ui["key-field"].hidden;
  if (code === "unauthorized") ui.key.focus();
  show("before");
  updateStart();
}

function updateStart() {
  ui.start.disabled = !ui.consent.checked;
  ui["start-hint"].textContent = ui.consent.checked ? "" : "Tick the box first.";
}

function begin(current) {
  show("learning", "speaking");
  ui.said.replaceChildren();
  ui.latency.textContent = "";
  setUsable(current, false);
  enrol(current);
  requestAnimationFrame(() => draw(current));
}

function enrol(current) {
  ui.again.hidden = true;
  ring(0, 5);
  say("Speak: read anything aloud, as you would tell a friend.");
  ui.coach.textContent = "";
  current.peer.enrol(ui["consent-text"].textContent);
}

function ring(heardS, neededS) {
  const share = Math.min(1, neededS > 0 ? heardS / neededS : 0);
  ui["ring-fill"].style.setProperty("--left", String(100 - 100 * share));
  ui["ring-fill"].toggleAttribute("data-empty", share === 0);
  ui["ring-text"].textContent = `${heardS.toFixed(1)} s`;
  ui.ring.setAttribute("aria-valuenow", String(Math.round(100 * share)));
  ui.ring.setAttribute("aria-valuetext", `${heardS.toFixed(0)} of ${neededS.toFixed(0)} seconds of speech heard`);
}

function setUsable(current, usable) {
  const first = usable && !current.usable;
  current.usable = usable;
  ui.send.disabled = !usable;
  if (first) ui.text.focus();
}

function draw(current) {
  if (call !== current) return;
  const share = Math.max(0, Math.min(1, (current.mic.dbfs() + 60) / 50));
  ui.level.style.setProperty("--level", (0.2 + 0.8 * share).toFixed(3));
  if (current.voice && current.voice.dbfs() > AUDIBLE_DBFS) soundHeard(current, performance.now());
  requestAnimationFrame(() => draw(current));
}

function soundHeard(current, now) {
  current.lastSoundAt = now;
  const awaited = [...current.said.values()].find((text) => text.awaited);
  if (!awaited) return;
  awaited.awaited = false;
  showLatency(now - awaited.sentAt, awaited.serviceMs);
}

function showLatency(heardMs, serviceMs) {
  const inside = serviceMs === undefined ? "" : ` (${Math.round(serviceMs)} ms of it in the service)`;
  ui.latency.textContent = `heard after ${Math.round(heardMs)} ms${inside}`;
}

function listen(current) {
  const { peer } = current;
  const on = (name, react) => peer.addEventListener(name, ({ detail }) => react(detail));
  on("track", ({ stream }) => {
    ui.voice.srcObject = stream;
    current.voice = new LevelMeter(current.audio, stream);
    ui.voice.play().catch(() => complain("The browser blocks sound. Click anywhere on the page to hear the voice."));
  });
  let shaky = false;
  on("state", (state) => {
    if (state === "interrupted") say("The connection is shaky. Waiting for it to come back …");
    if (state === "connected" && shaky) say("The connection is back.");
    shaky = state === "interrupted";
  });
  on("closed", ({ reason }) => hangUp(current, `The call has ended: ${ENDINGS[reason] ?? reason}.`));
  on("session.ending", ({ within_s: withinS }) =>
    say(`The service is being restarted and ends this call within ${Math.round(withinS)} seconds.`));
  on("bot-ready", ({ engine, provider, precision }) => {
    ui.engine.textContent = [engine, provider, precision].filter(Boolean).join(" · ");
  });
  on("error", ({ error, code, utterance_id: id }) => {
    complain(error);
    if (id && current.said.has(id)) endText(current, id, "failed", code);
  });
  listenToEnrolment(current, on);
  listenToSpeech(current, on);
}

function listenToEnrolment(current, on) {
  on("voice.progress", ({ heard_s: heardS, needed_s: neededS, hint }) => {
    ring(heardS, neededS);
    ui.coach.textContent = hint ?? "";
  });
  on("voice.usable", () => {
    setUsable(current, true);
    say("Your voice can be used already. Keep speaking: it gets better.");
  });
  on("voice.ready", ({ heard_s: heardS, clone_ms: cloneMs }) => {
    ring(heardS, heardS);
    setUsable(current, true);
    say("Your voice is ready. Type something to hear it.");
    ui.coach.textContent = `Learned in ${Math.round(cloneMs)} ms after ${heardS.toFixed(1)} s of speech.`;
    ui.again.hidden = false;
  });
  on("voice.rejected", ({ message }) => {
    say("This did not work.");
    complain(message);
    ui.again.hidden = false;
  });
}

function listenToSpeech(current, on) {
  const text = (id) => current.said.get(id);
  on("utterance.accepted", ({ utterance_id: id, queued }) => {
    if (queued > 0) text(id)?.end("waiting", `waits for ${queued} before it`);
  });
  on("utterance.started", ({ utterance_id: id, latency_ms: latencyMs }) => {
    const said = text(id);
    if (!said) return;
    said.end("playing", "");
    said.serviceMs = latencyMs;
    updateInterrupt(current);
  });
  on("utterance.word", ({ utterance_id: id, char_start: start, char_end: end }) => text(id)?.light(start, end));
  on("utterance.done", ({ utterance_id: id, audio_ms: audioMs, underruns }) => {
    const gaps = underruns ? `, ${underruns} gaps` : "";
    endText(current, id, "done", audioMs ? `${seconds(audioMs)}${gaps}` : "there was nothing to say");
  });
  on("utterance.cancelled", ({ utterance_id: id, played_ms: playedMs }) =>
    endText(current, id, "cancelled", `interrupted after ${seconds(playedMs)}`));
  on("utterance.failed", ({ utterance_id: id, message }) => endText(current, id, "failed", message));
}

function endText(current, id, state, note) {
  const said = current.said.get(id);
  if (!said) return;
  if (state === "done") said.light(said.points.length, said.points.length);
  said.end(state, note);
  said.awaited = false;
  current.said.delete(id);
  updateInterrupt(current);
}

function updateInterrupt(current) {
  ui.interrupt.disabled = current.said.size === 0;
}

function speak(current) {
  const text = ui.text.value.trim();
  if (!text || !current.usable) return;
  complain("");
  const said = new SaidText(text);
  // Heard-after is only meaningful when nothing else is sounding.
  said.awaited = current.said.size === 0 && said.sentAt - current.lastSoundAt > SETTLED_MS;
  ui.latency.textContent = "";
  ui.said.prepend(said.item);
  try {
    current.said.set(current.peer.speak(text), said);
  } catch (error) {
    said.end("failed", error.message);
    return;
  }
  ui.text.value = "";
  updateInterrupt(current);
}

function interrupt(current) {
  if (current.said.size > 0) current.peer.cancel();
}

function hangUp(current, message) {
  if (call !== current) return;
  call = null;
  current.end();
  complain(message);
  setUsable(current, false);
  ui.interrupt.disabled = true;
  show("after");
  ui.restart.focus();
}

ui.consent.addEventListener("change", updateStart);
ui.start.addEventListener("click", () => void start());
ui.restart.addEventListener("click", () => {
  complain("");
  show("before");
  updateStart();
  ui.start.focus();
});
ui.again.addEventListener("click", () => call && enrol(call));
ui.hangup.addEventListener("click", () => call && hangUp(call, ""));
ui.interrupt.addEventListener("click", () => call && interrupt(call));
ui.form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (call) speak(call);
});
ui.text.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) ui.form.requestSubmit();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && call) interrupt(call);
});
document.addEventListener("click", () => {
  void call?.audio.resume();
  if (ui.voice.srcObject && ui.voice.paused) void ui.voice.play();
});
window.addEventListener("pagehide", () => call?.end());
updateStart();
