/** Everything that the page shows, and how events change it. Pure. */

import type { Participant, RoomView, VoiceInfo } from "@voicepeer/client";
import * as figures from "./figures.js";
import { type Phase, inCall, turned } from "./phase.js";
import * as transcript from "./transcript.js";

/** What a start waits for. */
export type Waiting = "service" | "microphone" | "connection" | "return";
/** `none` is a call that only listens. */
export type MicState = "on" | "none" | "silent" | "lost";
export type VoiceKind = "call" | "saved" | "stock" | "mix";

/** What is told above everything else until it is closed. */
export interface Alert {
  readonly code: string;
  readonly detail: string;
  /** A notice is no fault. */
  readonly tone: "fault" | "notice" | "done";
  /** What was tried, whose success takes the alert back; where it is left out, the code tells. */
  readonly about?: About;
}

/** What can be tried, and fail, and be tried again. */
export type About =
  | "microphone" | "learn" | "say" | "voice" | "control" | "configure" | "list" | "save" | "rename" | "remove" | "export"
  | "import" | "room";

/** The voice being learned, or learned last. */
export interface Learning {
  readonly on: boolean;
  readonly stage: "none" | "usable" | "ready";
  /** Of the voice, once it is usable. */
  readonly voiceId: string | null;
  readonly heardS: number;
  readonly neededS: number;
  readonly hint: string | null;
}

/** The voice that speaks. */
export interface Current {
  readonly id: string;
  readonly name: string;
  readonly kind: VoiceKind;
}

/** How texts are said. */
export interface Manner {
  readonly speed: number;
  readonly pitchSemitones: number;
  readonly energy: number;
  readonly emotion: string;
  readonly language: string;
}

/** What the engine can do. */
export interface Ability {
  readonly engine: string;
  readonly languages: readonly string[];
  readonly emotions: readonly string[];
  readonly ranges: Readonly<Record<string, readonly number[]>>;
}

/** The voice that speaks, with how it was learned. */
export interface Spoken {
  readonly current: Current;
  readonly learning: Learning;
}

export interface PageState {
  readonly phase: Phase;
  readonly consented: boolean;
  readonly keyNeeded: boolean;
  /** There is a call of before a reload to go on with. */
  readonly resumable: boolean;
  readonly waiting: Waiting | null;
  readonly alert: Alert | null;
  readonly mic: MicState;
  readonly connection: "connected" | "interrupted";
  readonly learning: Learning;
  readonly current: Current | null;
  /** What spoke before, while another voice is learned in its place that cannot be used yet. */
  readonly earlier: Spoken | null;
  readonly ability: Ability;
  readonly manner: Manner;
  readonly bargeIn: boolean;
  readonly voices: readonly VoiceInfo[];
  readonly said: transcript.Transcript;
  readonly figures: figures.Figures;
  readonly ending: string | null;
  /** The address names a room to join. */
  readonly invited: boolean;
  readonly room: Room;
  /** The last recording that has ended, or was left behind, with the visitor in it. */
  readonly recordedIn: string | null;
}

/** Who is in the room, what becomes of their sound aside. */
export type Person = Omit<Participant, "track">;
export type Room = Omit<RoomView, "participants"> & { readonly participants: readonly Person[] };

/** What a call was like before a reload. */
export interface Back {
  readonly current: Current | null;
  readonly learning: Learning;
  readonly manner: Manner;
  readonly bargeIn: boolean;
  readonly said: transcript.Transcript;
  readonly figures: figures.Figures;
}

export const PLAIN: Manner = { speed: 1, pitchSemitones: 0, energy: 1, emotion: "neutral", language: "auto" };
const UNLEARNED: Learning = { on: false, stage: "none", voiceId: null, heardS: 0, neededS: 5, hint: null };
const OUTSIDE: Room = { joined: false, manages: false, records: false, recording: null, participants: [] };
const UNKNOWN: Ability = { engine: "", languages: [], emotions: [], ranges: {} };

export const INITIAL: PageState = {
  phase: "welcome", consented: false, keyNeeded: false, resumable: false, waiting: null, alert: null, mic: "on",
  connection: "connected", learning: UNLEARNED, current: null, earlier: null, ability: UNKNOWN, manner: PLAIN, bargeIn: false,
  voices: [], said: [], figures: [], ending: null, invited: false, room: OUTSIDE, recordedIn: null,
};

export type PageEvent =
  | { type: "consent"; given: boolean }
  | { type: "found"; resumable: boolean }
  | { type: "start" }
  | { type: "waiting"; for: Waiting }
  | { type: "failed"; code: string; detail: string }
  | { type: "ready"; ability: Ability }
  | { type: "returned"; back: Back }
  | { type: "learn" }
  | { type: "learn-on" }
  | { type: "learnt-nothing" }
  | { type: "progress"; heardS: number; neededS: number; hint: string | null }
  | { type: "usable"; voiceId: string; heardS: number }
  | { type: "learned"; voiceId: string; heardS: number }
  | { type: "chosen"; current: Current }
  | { type: "saved"; id: string; name: string }
  | { type: "gone"; voiceId: string }
  | { type: "voices"; voices: readonly VoiceInfo[] }
  | { type: "mic"; mic: MicState }
  | { type: "connection"; quality: PageState["connection"] }
  | { type: "manner"; manner: Partial<Manner> }
  | { type: "barge-in"; on: boolean }
  | { type: "sent"; id: string; text: string }
  | { type: "held"; id: string; text: string }
  | { type: "released"; heldId: string; id: string }
  | { type: "again"; id: string }
  | { type: "audible"; id: string; latencyMs: number | null }
  | { type: "word"; id: string; start: number; end: number }
  | { type: "over"; id: string; state: "done" | "cancelled" | "failed" | "lost"; playedMs: number;
      fault: transcript.Saying["fault"] }
  | { type: "similarity"; id: string; cosine: number }
  | { type: "alert"; alert: Alert | null }
  | { type: "succeeded"; about: About }
  | { type: "invited" }
  | { type: "room"; view: Room }
  | { type: "withdrawn" }
  | { type: "ended"; reason: string }
  | { type: "restart" };

/** The state after an event. */
export function reduce(state: PageState, event: PageEvent): PageState {
  switch (event.type) {
    case "consent": return { ...state, consented: event.given };
    case "found": return { ...state, resumable: event.resumable };
    case "start": return { ...state, phase: turned(state.phase, "start"), alert: null, waiting: "service" };
    case "waiting": return { ...state, waiting: event.for };
    case "failed": return failed(state, event.code, event.detail);
    case "ready": return { ...state, ability: event.ability, waiting: null, connection: "connected", keyNeeded: false };
    case "returned": return returned(state, event.back);
    case "mic": return taken({ ...state, mic: event.mic }, ...(event.mic === "on" ? ["microphone"] as const : []));
    case "connection": return { ...state, connection: event.quality };
    case "manner": return { ...state, manner: { ...state.manner, ...event.manner } };
    case "barge-in": return { ...state, bargeIn: event.on };
    case "voices": return { ...state, voices: event.voices };
    case "alert": return { ...state, alert: event.alert };
    case "succeeded": return taken(state, event.about);
    case "invited": return { ...state, invited: true };
    case "room": return { ...state, room: event.view, recordedIn: leftBehind(state, event.view) };
    case "withdrawn": return { ...state, recordedIn: null };
    case "ended": return ended(state, event.reason);
    case "restart": return {
      ...INITIAL, phase: turned(state.phase, "restart"), consented: state.consented, invited: state.invited,
    };
    case "learn": case "learn-on": case "learnt-nothing": case "progress": case "usable": case "learned": case "chosen": case "saved":
    case "gone":
      return ofVoice(state, event);
    default: return ofSpeech(state, event);
  }
}

type VoiceEvent = Extract<PageEvent, { type:
  "learn" | "learn-on" | "learnt-nothing" | "progress" | "usable" | "learned" | "chosen" | "saved" | "gone" }>;
type SpeechEvent = Extract<PageEvent, { type:
  "sent" | "held" | "released" | "again" | "audible" | "word" | "over" | "similarity" }>;

function ofVoice(state: PageState, event: VoiceEvent): PageState {
  const { learning } = state;
  switch (event.type) {
    case "learn": return taken({
      ...state, phase: turned(state.phase, "learn"), learning: { ...UNLEARNED, on: true }, current: null,
      earlier: state.current === null ? state.earlier : { current: state.current, learning: { ...learning, on: false } },
    }, "voice");
    case "learn-on": return { ...state, learning: { ...learning, on: true, hint: null } };
    case "learnt-nothing": return learntNothing(state);
    case "progress": {
      const { heardS, neededS, hint } = event;
      return { ...state, learning: { ...learning, heardS, neededS, hint } };
    }
    case "usable": case "learned": return learned(state, event.voiceId, event.heardS, event.type === "learned");
    case "chosen":
      return taken({ ...state, phase: turned(state.phase, "speak"), current: event.current, earlier: null }, "voice");
    case "saved": {
      const mine = state.current?.id === event.id;
      return mine ? { ...state, current: { id: event.id, name: event.name, kind: "saved" } } : state;
    }
    case "gone": return gone(state, event.voiceId);
  }
}

function ofSpeech(state: PageState, event: SpeechEvent): PageState {
  const { said } = state;
  switch (event.type) {
    case "sent": return taken({ ...state, said: transcript.sent(said, event.id, event.text) }, "say");
    case "held": return taken({ ...state, said: transcript.held(said, event.id, event.text) }, "say");
    case "released": return { ...state, said: transcript.released(said, event.heldId, event.id) };
    case "again": return taken({ ...state, said: transcript.again(said, event.id) }, "say");
    case "audible": return {
      ...state, said: transcript.began(said, event.id, event.latencyMs),
      figures: event.latencyMs === null ? state.figures : figures.heardAfter(state.figures, event.id, event.latencyMs),
    };
    case "word": return { ...state, said: transcript.spoke(said, event.id, event.start, event.end) };
    case "over": return { ...state, said: transcript.over(said, event.id, event.state, event.playedMs, event.fault) };
    case "similarity": return { ...state, figures: figures.likened(state.figures, event.id, event.cosine) };
  }
}

/** What an alert is about that does not say so itself. */
const ABOUT: Readonly<Record<string, About>> = {
  "page.insecure": "microphone", "microphone.denied": "microphone", "microphone.missing": "microphone",
  "microphone.busy": "microphone", "microphone.lost": "microphone", "microphone.silent": "microphone",
  text_rejected: "say", text_too_long: "say", language_unsupported: "say", not_connected: "say", engine_busy: "say",
  engine_failed: "say",
  voice_rejected: "learn", enrolment_stopped: "learn", "restarted-learning": "learn", "restarted-unlearned": "learn",
  voice_not_ready: "voice", voice_not_found: "voice", "choose-voice": "voice", "voice-gone": "voice", "deleted-current": "voice",
  kicked: "room", room_ended: "room",
};

/** Take back what is told of something that has been done by now. */
function taken(state: PageState, ...done: readonly About[]): PageState {
  const { alert } = state;
  if (alert === null || alert.tone === "done") return state;
  const about = alert.about ?? (alert.code.startsWith("hint.") ? "learn" : ABOUT[alert.code]);
  return about !== undefined && done.includes(about) ? { ...state, alert: null } : state;
}

/** After these a call of before a reload may still be there. */
const MAY_PASS: ReadonlySet<string> = new Set([
  "unreachable", "timeout", "no_connection", "connection_lost", "not_ready", "shutting_down", "at_capacity"]);

function failed(state: PageState, code: string, detail: string): PageState {
  const keyNeeded = state.keyNeeded || code === "unauthorized";
  return {
    ...state, phase: turned(state.phase, "fail"), waiting: null, keyNeeded,
    resumable: state.resumable && MAY_PASS.has(code),
    alert: { code, detail, tone: "fault" },
  };
}

/** Back in a call: where there was a voice, with it. */
function returned(state: PageState, back: Back): PageState {
  const phase = turned(state.phase, back.current === null ? "learn" : "speak");
  return { ...state, ...back, learning: { ...back.learning, on: false }, phase, resumable: false };
}

/** What spoke before speaks again. */
function learntNothing(state: PageState): PageState {
  if (state.earlier === null) return { ...state, learning: { ...state.learning, on: false, hint: null } };
  return { ...state, ...state.earlier, earlier: null, phase: turned(state.phase, "speak") };
}

function gone(state: PageState, voiceId: string): PageState {
  const { current, earlier, learning } = state;
  return {
    ...state,
    voices: state.voices.filter(({ id }) => id !== voiceId),
    current: current?.id === voiceId ? null : current,
    earlier: earlier?.current.id === voiceId ? null : earlier,
    learning: learning.voiceId === voiceId ? UNLEARNED : learning,
  };
}

/** A voice that was learned is spoken with, unless another was chosen since. */
function learned(state: PageState, id: string, heardS: number, ready: boolean): PageState {
  const learning: Learning = {
    ...state.learning, on: !ready, stage: ready ? "ready" : "usable", voiceId: id, heardS, hint: null,
  };
  const { current } = state;
  const own: Current = current !== null && current.kind !== "call" ? current : { id, name: "", kind: "call" };
  return taken({ ...state, phase: turned(state.phase, "speak"), learning, current: own, earlier: null }, "learn", "voice");
}

function ended(state: PageState, reason: string): PageState {
  if (!inCall(state.phase) && state.phase !== "starting") return state;
  return {
    ...state, phase: turned(state.phase, "end"), ending: reason, waiting: null, alert: null,
    learning: { ...state.learning, on: false }, room: OUTSIDE, recordedIn: null,
  };
}

function leftBehind({ room: { recording: before }, recordedIn }: PageState, { recording: now }: Room): string | null {
  if (now?.id === recordedIn && now?.answer === false) return null; // That has deleted it.
  return before?.answer === true && now?.id !== before.id ? before.id : recordedIn;
}
