/** One call from click to end: has the client do what is asked, and tells the store what happened. */

import { type CameBack, type Channel, type Enrolment, type Notice, type Publishing, type Room, type UtteranceEnd, VoicePeer, VoicePeerError } from "@voicepeer/client";
import { type KeptCall, choice } from "./keeping.js";
import type { About, Ability, Alert, Current, Manner, MicState, PageEvent, PageState } from "./state.js";
import type { Store } from "./store.js";
import { type Transcript, again, hasRoom, holding, isSpeaking, open, over, unitsOf } from "./transcript.js";

export const CONSENT_VERSION = 2;
/** Sliders tell of every step; the service hears of where they stop. */
const SETTLE_MS = 150;

/** What a call begins with. */
export interface CallOptions {
  key: string | null;
  player: HTMLAudioElement;
  room: string;
  /** Whom others in the room see. */
  name: string;
  /** Join others by the microphone, and learn no voice. */
  joinOnly: boolean;
  /** Go on at another service, which has the room. */
  goTo(service: string): void;
  /** The speaker's statement, in the words that they have seen. */
  consent: string;
  kept: KeptCall | null;
}

/** Why something could not be done. */
export type Problem = Pick<VoicePeerError, "code" | "detail">;

type PageStore = Store<PageState, PageEvent>;

/** Notices that take back another one. */
const TAKES_BACK: Readonly<Record<string, string>> = {
  "microphone.heard": "microphone.silent",
  "audio.resumed": "audio.blocked",
};
/** Notices that the page shows in its own way. */
const SHOWN_OTHERWISE: ReadonlySet<string> = new Set([
  "connection.lost", "connection.back", "connection.new", "service.starting"]);

/** Make it in a click: browsers let only those pages sound. */
export class Call {
  readonly peer: VoicePeer;
  readonly consent: string;
  readonly key: string | null;
  readonly room: string;
  resumption: KeptCall["resumption"] | null;
  readonly #store: PageStore;
  readonly #kept: KeptCall | null;
  readonly #joinOnly: boolean;
  readonly #goTo: CallOptions["goTo"];
  /** Texts of before a reload, whose offsets the client cannot know. */
  readonly #restored = new Map<string, string>();
  #enrolment: Enrolment | null = null;
  #settling: ReturnType<typeof setTimeout> | undefined;
  /** A connection is new, and its voice not set yet. */
  #returning = false;
  /** A voice was chosen by its id since learning began, so that the service stays with that. */
  #pinned = false;
  #heldSerial = 0;
  #over = false;

  constructor(store: PageStore, options: CallOptions) {
    const { player, consent, kept, name } = options;
    const key = this.key = kept?.key ?? options.key;
    this.#store = store;
    this.#kept = kept;
    this.consent = kept?.consent ?? consent;
    this.room = kept?.room ?? options.room;
    this.#joinOnly = options.joinOnly;
    this.#goTo = options.goTo;
    this.resumption = kept?.resumption ?? null;
    this.peer = new VoicePeer({
      microphone: choice("microphone") ?? true, player, room: this.room, name,
      follow: false, // A page may talk to nobody but the service that it is from.
      ...(key !== null && { token: key }), ...(kept !== null && { resume: kept.resumption }),
    });
    this.#hearLife();
    this.#hearVoice();
    this.#hearSpeech();
    this.#hearRoom();
  }

  /** Connect, and begin to learn, or go on where an earlier page was. Never rejects. */
  async start(): Promise<void> {
    this.#store.send({ type: "waiting", for: this.#kept === null ? "microphone" : "return" });
    try {
      const came = await this.peer.connect();
      if (this.#over) return;
      await this.#begin(came);
    } catch (error) {
      const { code, detail } = problem(error);
      if (!this.#over) this.#store.send({ type: "failed", code, detail });
      if (code === "room_elsewhere" && !this.#over) this.#goTo(detail);
      this.#over = true;
      this.peer.close();
    }
  }

  /** Hang up. */
  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.peer.close();
    this.#store.send({ type: "ended", reason: "client_left" });
  }

  /** Leave the page, so that the next one can go on. */
  leave(): void {
    if (!this.#over) this.peer.detach();
    this.#over = true;
  }

  /** Learn the speaker's voice, with the microphone turned on for it where it is not. */
  async learn(): Promise<void> {
    if (this.peer.microphone.state !== "on" && !await this.peer.microphone.start()) return;
    // Nothing is learned while the page speaks.
    if (isSpeaking(this.#store.state.said)) this.interrupt();
    this.#enrol({ type: "learn" });
  }

  #enrol(event: PageEvent): void {
    this.#store.send(event);
    this.#pinned = false;
    const enrolment = this.#enrolment = this.peer.enrol({ consent: this.consent, consentVersion: CONSENT_VERSION });
    enrolment.usable.catch(() => undefined);
    enrolment.ready.catch((error: VoicePeerError) => this.#learntNothing(error));
  }

  /** Speak with a voice that is there already; whether it is. */
  async use(voice: Current): Promise<boolean> {
    const why = await this.outcome(async () => {
      await this.peer.voices.use(voice.id);
      this.#pinned = true;
      this.#store.send({ type: "chosen", current: voice });
    });
    if (why !== null) this.#alert(why.code, why.detail, "voice");
    if (why?.code === "voice_not_found") await this.refresh();
    this.#pump();
    return why === null;
  }

  /**
   * Rather not learn: the voice of before, where there is one; else the newest saved voice, or the
   * first that comes with the engine.
   */
  async useAny(): Promise<void> {
    if (this.#store.state.earlier !== null) return this.#goBack();
    await this.listVoices();
    // Voices of calls that nobody has saved are on their way out.
    const voice = this.#store.state.voices.find(({ kind, expiresAt }) => kind === "stock" || expiresAt === null);
    if (voice === undefined) return this.#alert("voice_not_ready", "");
    if (!await this.use({ id: voice.id, name: voice.name, kind: voice.kind === "stock" ? "stock" : "saved" })) return;
    this.#enrolment?.stop();
    this.#store.send({ type: "learnt-nothing" });
  }

  /** The voice of before speaks again; a new session would not know of it, so it is named. */
  async #goBack(): Promise<void> {
    this.#enrolment?.stop();
    this.#store.send({ type: "learnt-nothing" });
    const { current } = this.#store.state;
    if (current !== null) await this.use(current);
  }

  /** Say a text, after those that wait. */
  say(text: string): void {
    this.#settle();
    const { said } = this.#store.state;
    if (this.#canSend && holding(said).length === 0 && hasRoom(said, text)) {
      const { id, problem: why } = this.#send(text);
      if (id !== undefined) return this.#store.send({ type: "sent", id, text });
      if (why !== undefined) return this.#alert(why.code, why.detail, "say");
    }
    this.#heldSerial += 1;
    this.#store.send({ type: "held", id: `held-${Date.now()}-${this.#heldSerial}`, text });
  }

  /** Say a text once more that was lost or has failed. */
  sayAgain(id: string): void {
    this.#store.send({ type: "again", id });
    this.#pump();
  }

  /** Send what waits in the page, as far as there is room for it. */
  #pump(): void {
    for (const { id: heldId, text } of holding(this.#store.state.said)) {
      if (!this.#canSend || !hasRoom(this.#store.state.said, text)) return;
      const { id, problem: fault } = this.#send(text);
      if (id !== undefined) this.#store.send({ type: "released", heldId, id });
      else if (fault === undefined) return;
      else this.#store.send({ type: "over", id: heldId, state: "failed", playedMs: 0, fault });
    }
  }

  get #canSend(): boolean {
    const { connection, current } = this.#store.state;
    return !this.#over && !this.#returning && connection === "connected" && current !== null;
  }

  /** Neither where there is no connection at the moment. */
  #send(text: string): { id?: string; problem?: Problem } {
    try {
      return { id: this.peer.speak(text, { language: this.#store.state.manner.language }).id };
    } catch (error) {
      const { code, detail } = problem(error);
      return code === "not_connected" ? {} : { problem: { code, detail } };
    }
  }

  /** Fall silent, with all that waits. */
  interrupt(): void {
    for (const { id } of holding(this.#store.state.said)) {
      this.#store.send({ type: "over", id, state: "cancelled", playedMs: 0, fault: null });
    }
    try {
      this.peer.cancel();
    } catch (error) {
      this.#complain(error);
    }
  }

  /** Speak differently, what is being said included. */
  steer(manner: Partial<Manner>): void {
    this.#store.send({ type: "manner", manner });
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.#settle(), SETTLE_MS);
  }

  /** Send what sliders have been moved to, if that is not sent yet. */
  #settle(): void {
    if (this.#settling === undefined) return;
    clearTimeout(this.#settling);
    this.#settling = undefined;
    void this.attempt(() => this.#control(), "control");
  }

  /** Whether the speaker's speech interrupts. */
  async letInterrupt(on: boolean): Promise<void> {
    await this.attempt(async () => {
      await this.peer.configure({ barge_in: on });
      this.#store.send({ type: "barge-in", on });
    }, "configure");
  }

  /** Have the newest list of voices. */
  async listVoices(): Promise<void> {
    await this.attempt(() => this.#list(), "list");
  }

  /** The same, but nobody is told where it fails: nobody has asked for it. */
  async refresh(): Promise<void> {
    if (!this.#over) await this.#list().catch(() => undefined);
  }

  /** Do something that may be refused, and tell of it if it is; whether it was done. */
  async attempt(act: () => Promise<void>, about: About): Promise<boolean> {
    const why = await this.outcome(act);
    if (why === null) this.#store.send({ type: "succeeded", about });
    else this.#alert(why.code, why.detail, about);
    return why === null;
  }

  /** Do something that may be refused; why it could not be done. */
  async outcome(act: () => Promise<void>): Promise<Problem | null> {
    return act().then(() => null, problem);
  }

  async #list(): Promise<void> {
    const { current } = this.#store.state;
    const voices = await this.peer.voices.list();
    if (this.#over) return;
    this.#store.send({ type: "voices", voices });
    // One that was chosen meanwhile may be newer than the list.
    const listed = current?.kind === "saved" || current?.kind === "stock";
    if (listed && current === this.#store.state.current && voices.every(({ id }) => id !== current.id)) this.#voiceGone(current);
  }

  /** Somebody has deleted the voice, here or elsewhere. */
  #voiceGone({ id, name }: Current): void {
    this.#store.send({ type: "gone", voiceId: id });
    this.#store.send({ type: "alert", alert: { code: "voice-gone", detail: name, tone: "notice" } });
  }

  // --- others -------------------------------------------------------------------------------

  /** Be in the room with the others; whether one is. */
  async enter(name: string): Promise<boolean> {
    const publish = this.#joinOnly && this.peer.microphone.state === "on" ? "mic" : "voice";
    return this.inRoom((room) => room.join({ publish, name }));
  }

  /** Have others see another name. */
  async rename(name: string): Promise<void> {
    await this.inRoom((room) => room.join({ publish: room.me?.publish ?? "nothing", name }));
  }

  /** Let the others hear something else; the microphone is turned on for it where it is not. */
  async publish(publish: Publishing): Promise<void> {
    const { microphone } = this.peer;
    const can = publish !== "mic" || microphone.state === "on" || await microphone.start();
    if (can) await this.inRoom((room) => room.publish(publish));
  }

  /** Do something in the room that may be refused; whether it was done. */
  inRoom(act: (room: Room) => Promise<void>): Promise<boolean> {
    return this.attempt(() => act(this.peer.room), "room");
  }

  /** Have what was recorded of the visitor deleted. */
  async withdraw(recording: string): Promise<void> {
    if (!await this.inRoom((there) => there.withdrawFromRecording(recording))) return;
    this.#store.send({ type: "withdrawn" });
    this.#tell("recording-withdrawn");
  }

  #hearRoom(): void {
    this.peer.on("room", ({ participants, ...view }) => {
      const people = participants.map(({ track: _, ...person }) => person);
      if (!this.#over) this.#store.send({ type: "room", view: { ...view, participants: people } });
    });
    this.peer.on("room.recording", ({ reason }) => { if (reason != null) this.#tell("recording-ended"); });
    this.peer.on("room.left", ({ reason }) => { if (reason !== "left") this.#tell(reason); });
  }

  // --- how it begins ------------------------------------------------------------------------

  async #begin(came: CameBack): Promise<void> {
    void this.#watchSimilarity();
    void this.listVoices();
    const hasMic = this.peer.microphone.state === "on";
    if (!hasMic) this.#store.send({ type: "mic", mic: "none" });
    if (this.#kept !== null) return this.#goOn(this.#kept, came.restored);
    await (hasMic && !this.#joinOnly ? this.learn() : this.useAny());
  }

  async #goOn({ back }: KeptCall, restored: boolean): Promise<void> {
    const known = restored || await this.#voiceOf(back.current);
    const current = known ? back.current : null;
    const learning = known ? back.learning : this.#store.state.learning;
    const said = this.#broughtBack(back.said);
    this.#store.send({ type: "returned", back: { ...back, current, learning, said } });
    if (!restored) this.#setAgain(back);
    const hasMic = this.peer.microphone.state === "on";
    if (current === null) await this.#learnAgain();
    // A reload ends learning; the voice stays usable while it is made better once more.
    else if (learning.on && current.id === learning.voiceId && hasMic) this.#enrol({ type: "learn-on" });
    this.#pump();
  }

  /** The service goes on with some texts; others are sent again, or if they were heard in part, lost. */
  #broughtBack(said: Transcript): Transcript {
    const going = new Set(this.peer.utterances.map(({ id }) => id));
    let all = said;
    for (const { id, text, state } of open(said)) {
      if (going.has(id)) this.#restored.set(id, text);
      else if (state !== "playing") all = again(all, id);
      else all = over(all, id, "lost", 0);
    }
    return all;
  }

  /** The voice is gone; unlike `learn`, keep what is still to be said, for the next one. */
  async #learnAgain(): Promise<void> {
    if (this.peer.microphone.state === "on") this.#enrol({ type: "learn" });
    else await this.useAny();
  }

  #setAgain({ manner, bargeIn }: KeptCall["back"]): void {
    void this.attempt(async () => {
      await this.#control(manner);
      if (bargeIn) await this.peer.configure({ barge_in: true });
    }, "control");
  }

  /** Whether the service still has a voice, which it keeps for some minutes. */
  async #voiceOf(current: Current | null): Promise<boolean> {
    if (current === null) return false;
    const known = await this.peer.voices.use(current.id).then(() => true, () => false);
    this.#pinned ||= known;
    return known;
  }

  async #control(manner = this.#store.state.manner): Promise<void> {
    const { speed, pitchSemitones, energy, emotion } = manner;
    const { emotions } = this.#store.state.ability;
    await this.peer.control({ speed, pitchSemitones, energy, ...(emotions.includes(emotion) && { emotion }) });
  }

  async #watchSimilarity(): Promise<void> {
    // An older service does not know it; then there is no such figure.
    await this.peer.configure({ similarity: true }).catch(() => undefined);
  }

  // --- what happens -------------------------------------------------------------------------

  #hearLife(): void {
    const { peer } = this;
    const send = (event: PageEvent) => this.#store.send(event);
    peer.on("bot-ready", (ready) => send({ type: "ready", ability: abilityOf(ready) }));
    peer.on("resumption", (resumption) => { this.resumption = resumption; });
    peer.on("service.starting", () => send({ type: "waiting", for: "service" }));
    peer.on("microphone", (state) => {
      if (state === "on" && this.#store.state.phase === "starting" && this.#kept === null) {
        send({ type: "waiting", for: "connection" });
      }
      send({ type: "mic", mic: micOf(state) });
    });
    peer.on("state", (state) => {
      if (state === "connected" || state === "interrupted") send({ type: "connection", quality: state });
      // After "reconnected", which comes with it where the connection is a new one.
      if (state === "connected") queueMicrotask(() => this.#pump());
    });
    peer.on("notice", (notice) => this.#notice(notice));
    peer.on("error", (error) => this.#complain(error));
    peer.on("reconnected", (came) => void this.#reconnected(came));
    peer.on("closed", ({ reason }) => {
      if (!this.#over) send({ type: "ended", reason });
      this.#over = true;
    });
  }

  #hearVoice(): void {
    const { peer } = this;
    const send = (event: PageEvent) => this.#store.send(event);
    peer.on("voice.progress", ({ heard_s: heardS, needed_s: neededS, hint_code: hint }) =>
      send({ type: "progress", heardS, neededS, hint: hint ?? null }));
    peer.on("voice.usable", ({ voice_id: voiceId, heard_s: heardS }) => {
      send({ type: "usable", voiceId, heardS });
      this.#speakAsLearned(voiceId);
    });
    peer.on("voice.ready", ({ voice_id: voiceId, heard_s: heardS }) => {
      send({ type: "learned", voiceId, heardS });
      this.#speakAsLearned(voiceId);
      void this.listVoices();
    });
    peer.on("voice.rejected", ({ message, code }) => this.#rejected(code ?? "", message));
  }

  /** Where a voice was named since learning began, the service does not change over by itself. */
  #speakAsLearned(voiceId: string): void {
    if (this.#pinned && this.#store.state.current?.id === voiceId) void this.#voiceOf(this.#store.state.current);
    this.#pump();
  }

  #hearSpeech(): void {
    const { peer } = this;
    const send = (event: PageEvent) => this.#store.send(event);
    peer.on("audible", ({ utterance: { id }, audible: { latencyMs, measured } }) =>
      send({ type: "audible", id, latencyMs: measured ? latencyMs : null }));
    peer.on("word", ({ utterance: { id }, word: { start, end } }) => {
      if (!this.#restored.has(id)) send({ type: "word", id, start, end });
    });
    peer.on("utterance.word", ({ utterance_id: id, char_start: start, char_end: end }) => {
      const text = this.#restored.get(id);
      if (text !== undefined) send({ type: "word", id, start: unitsOf(text, start), end: unitsOf(text, end) });
    });
    peer.on("finished", ({ utterance: { id }, end: { how, playedMs, error } }) => this.#finished(id, how, playedMs, error));
    peer.on("utterance.similarity", ({ utterance_id: id, cosine }) => send({ type: "similarity", id, cosine }));
  }

  #finished(id: string, how: UtteranceEnd["how"], playedMs: number, error: VoicePeerError | null): void {
    const { said, current } = this.#store.state;
    const unheard = said.some((saying) => saying.id === id && saying.state === "waiting");
    if (how === "lost" && unheard && !this.#over) this.#store.send({ type: "again", id });
    else {
      const fault = error === null ? null : { code: error.code, detail: error.detail };
      this.#store.send({ type: "over", id, state: how, playedMs, fault });
    }
    const noVoice = error?.code === "voice_not_ready" || error?.code === "voice_not_found";
    if (noVoice && current !== null && !this.#returning) {
      this.#voiceGone(current);
      void this.refresh();
    }
    this.#pump();
  }

  #notice({ code, detail }: Notice): void {
    const { alert } = this.#store.state;
    if (code === "microphone.silent") this.#store.send({ type: "mic", mic: "silent" });
    if (code === "microphone.heard") this.#store.send({ type: "mic", mic: "on" });
    const takenBack = TAKES_BACK[code];
    if (takenBack !== undefined) {
      if (alert?.code === takenBack) this.#store.send({ type: "alert", alert: null });
    } else if (!SHOWN_OTHERWISE.has(code)) {
      this.#store.send({ type: "alert", alert: { code, detail, tone: "notice" } });
    }
  }

  /** After a loss; the client has set everything again but the voice of the call. */
  async #reconnected({ restored, voiceLost }: CameBack): Promise<void> {
    this.#returning = true;
    if (restored) void this.#watchSimilarity();
    else await this.#beginAnew(voiceLost);
    this.#returning = false;
    this.#pump();
  }

  async #beginAnew(voiceLost: boolean): Promise<void> {
    const { current, learning: { on, neededS } } = this.#store.state;
    if (current === null && on) {
      // The client has asked for it to be learned again, from nothing.
      this.#store.send({ type: "progress", heardS: 0, neededS, hint: null });
      return this.#tell("restarted-learning");
    }
    const back = !voiceLost || await this.#voiceOf(current);
    if (!back && current !== null) this.#store.send({ type: "gone", voiceId: current.id });
    this.#tell(back ? "restarted" : "restarted-unlearned");
    if (!back) await this.#learnAgain();
  }

  /** The voice of the call could not be learned; it goes on listening, and may come to it yet. */
  #rejected(code: string, message: string): void {
    const { stage } = this.#store.state.learning;
    if (stage === "none") this.#alert(code in HINTED ? `hint.${code}` : "voice_rejected", message);
  }

  #learntNothing(error: VoicePeerError): void {
    if (this.#over || error.code === "enrolment_stopped" || error.code === "voice_rejected") return;
    this.#store.send({ type: "learnt-nothing" });
    this.#alert(error.code, error.detail, "learn");
  }

  #complain(error: unknown): void {
    const { code, detail } = problem(error);
    this.#alert(code, detail);
  }

  #alert(code: string, detail: string, about?: About): void {
    const alert: Alert = { code, detail, tone: "fault", ...(about !== undefined && { about }) };
    if (!this.#over) this.#store.send({ type: "alert", alert });
  }

  #tell(code: string): void {
    this.#store.send({ type: "alert", alert: { code, detail: "", tone: "notice" } });
  }
}

/** Codes of `voice.rejected` that say what to do about the microphone, as hints do. */
const HINTED: Readonly<Record<string, true>> = {
  too_quiet: true, noisy: true, clipping: true, muffled: true, own_voice: true, no_speech: true, muted: true,
};

function abilityOf(ready: Channel.BotReady): Ability {
  const { engine, provider, precision, languages, emotions = [], controls = {} } = ready;
  return { engine: [engine, provider, precision].filter(Boolean).join(" · "), languages, emotions, ranges: controls };
}

function micOf(state: string): MicState {
  return state === "on" || state === "lost" ? state : "none";
}

/** What to tell of an error; one that is not the client's is a defect, and goes to the console as well. */
function problem(error: unknown): Problem {
  if (error instanceof VoicePeerError) return error;
  reportError(error);
  return new VoicePeerError("internal", { cause: error });
}

