/** One call from click to end: has the client do what is asked, and tells the store what happened. */

import { type CameBack, type Channel, type Enrolment, type Notice, VoicePeer, VoicePeerError } from "@voicepeer/client";
import { type KeptCall, choice } from "./keeping.js";
import type { Ability, Current, Manner, MicState, PageEvent, PageState } from "./state.js";
import type { Store } from "./store.js";
import { type Transcript, open, over, unitsOf } from "./transcript.js";

export const CONSENT_VERSION = 2;
/** Sliders tell of every step; the service hears of where they stop. */
const SETTLE_MS = 150;

/** What a call begins with. */
export interface CallOptions {
  key: string | null;
  player: HTMLAudioElement;
  /** The speaker's statement, in the words that they have seen. */
  consent: string;
  kept: KeptCall | null;
}

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
  resumption: KeptCall["resumption"] | null;
  readonly #store: PageStore;
  readonly #kept: KeptCall | null;
  /** Texts of before a reload, whose offsets the client cannot know. */
  readonly #restored = new Map<string, string>();
  #enrolment: Enrolment | null = null;
  #settling: ReturnType<typeof setTimeout> | undefined;
  #over = false;

  constructor(store: PageStore, options: CallOptions) {
    const { player, consent, kept } = options;
    const key = this.key = kept?.key ?? options.key;
    this.#store = store;
    this.#kept = kept;
    this.consent = kept?.consent ?? consent;
    this.resumption = kept?.resumption ?? null;
    this.peer = new VoicePeer({
      microphone: choice("microphone") ?? true, player,
      ...(key !== null && { token: key }), ...(kept !== null && { resume: kept.resumption }),
    });
    this.#hearLife();
    this.#hearVoice();
    this.#hearSpeech();
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
    this.#store.send({ type: "learn" });
    const enrolment = this.#enrolment = this.peer.enrol({ consent: this.consent, consentVersion: CONSENT_VERSION });
    enrolment.usable.catch(() => undefined);
    enrolment.ready.catch((error: VoicePeerError) => this.#learntNothing(error));
  }

  /** Speak with a voice that is there already. */
  async use(voice: Current): Promise<void> {
    await this.#tried(async () => {
      await this.peer.voices.use(voice.id);
      this.#store.send({ type: "chosen", current: voice });
    });
  }

  /** Rather not learn: the newest saved voice, or the first that comes with the engine. */
  async useAny(): Promise<void> {
    await this.listVoices();
    // Voices of calls that nobody has saved are on their way out.
    const voice = this.#store.state.voices.find(({ kind, expiresAt }) => kind === "stock" || expiresAt === null);
    if (voice === undefined) return this.#alert("voice_not_ready", "");
    this.#enrolment?.stop();
    this.#store.send({ type: "learnt-nothing" });
    await this.use({ id: voice.id, name: voice.name, kind: voice.kind === "stock" ? "stock" : "saved" });
  }

  /** Say a text, after those that wait. */
  say(text: string): void {
    this.#settle();
    try {
      const { id } = this.peer.speak(text, { language: this.#store.state.manner.language });
      this.#store.send({ type: "sent", id, text });
    } catch (error) {
      this.#complain(error);
    }
  }

  /** Fall silent. */
  interrupt(): void {
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
    void this.#tried(() => this.#control());
  }

  /** Whether the speaker's speech interrupts. */
  async letInterrupt(on: boolean): Promise<void> {
    await this.#tried(async () => {
      await this.peer.configure({ barge_in: on });
      this.#store.send({ type: "barge-in", on });
    });
  }

  /** Have the newest list of voices. */
  async listVoices(): Promise<void> {
    await this.#tried(async () => this.#store.send({ type: "voices", voices: await this.peer.voices.list() }));
  }

  /** Do something that may be refused; whether it was done. */
  async attempt(act: () => Promise<void>): Promise<boolean> {
    return this.#tried(act);
  }

  // --- how it begins ------------------------------------------------------------------------

  async #begin(came: CameBack): Promise<void> {
    void this.#watchSimilarity();
    void this.listVoices();
    const hasMic = this.peer.microphone.state === "on";
    if (!hasMic) this.#store.send({ type: "mic", mic: "none" });
    if (this.#kept !== null) return this.#goOn(this.#kept, came.restored);
    await (hasMic ? this.learn() : this.useAny());
  }

  async #goOn({ back }: KeptCall, restored: boolean): Promise<void> {
    const known = restored || await this.#voiceOf(back.current);
    const current = known ? back.current : null;
    const learning = known ? back.learning : this.#store.state.learning;
    const said = this.#broughtBack(back.said);
    this.#store.send({ type: "returned", back: { ...back, current, learning, said } });
    if (!restored) this.#setAgain(back);
    if (current === null) await (this.peer.microphone.state === "on" ? this.learn() : this.useAny());
  }

  /** The service goes on with some texts; of the others the rest is lost. */
  #broughtBack(said: Transcript): Transcript {
    const going = new Set(this.peer.utterances.map(({ id }) => id));
    let all = said;
    for (const { id, text } of open(said)) {
      if (going.has(id)) this.#restored.set(id, text);
      else all = over(all, id, "lost", 0);
    }
    return all;
  }

  #setAgain({ manner, bargeIn }: KeptCall["back"]): void {
    void this.#tried(async () => {
      await this.#control(manner);
      if (bargeIn) await this.peer.configure({ barge_in: true });
    });
  }

  /** Whether the service still has a voice, which it keeps for some minutes. */
  async #voiceOf(current: Current | null): Promise<boolean> {
    if (current === null) return false;
    return this.peer.voices.use(current.id).then(() => true, () => false);
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
    peer.on("voice.usable", ({ voice_id: voiceId, heard_s: heardS }) => send({ type: "usable", voiceId, heardS }));
    peer.on("voice.ready", ({ voice_id: voiceId, heard_s: heardS }) => {
      send({ type: "learned", voiceId, heardS });
      void this.listVoices();
    });
    peer.on("voice.rejected", ({ message, code }) => this.#rejected(code ?? "", message));
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
    peer.on("finished", ({ utterance: { id }, end: { how: state, playedMs, error } }) => {
      const fault = error === null ? null : { code: error.code, detail: error.detail };
      send({ type: "over", id, state, playedMs, fault });
    });
    peer.on("utterance.similarity", ({ utterance_id: id, cosine }) => send({ type: "similarity", id, cosine }));
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
    if (restored) return void this.#watchSimilarity();
    const { current } = this.#store.state;
    const back = !voiceLost || await this.#voiceOf(current);
    this.#tell(back ? "restarted" : "restarted-unlearned");
    if (!back) await (this.peer.microphone.state === "on" ? this.learn() : this.useAny());
  }

  /** The voice of the call could not be learned; it goes on listening, and may come to it yet. */
  #rejected(code: string, message: string): void {
    const { stage } = this.#store.state.learning;
    if (stage === "none") this.#alert(code in HINTED ? `hint.${code}` : "voice_rejected", message);
  }

  #learntNothing(error: VoicePeerError): void {
    if (this.#over || error.code === "enrolment_stopped" || error.code === "voice_rejected") return;
    this.#store.send({ type: "learnt-nothing" });
    this.#complain(error);
  }

  async #tried(act: () => Promise<void>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      if (!this.#over) this.#complain(error);
      return false;
    }
  }

  #complain(error: unknown): void {
    const { code, detail } = problem(error);
    this.#alert(code, detail);
  }

  #alert(code: string, detail: string): void {
    this.#store.send({ type: "alert", alert: { code, detail, tone: "fault" } });
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
function problem(error: unknown): Pick<VoicePeerError, "code" | "detail"> {
  if (error instanceof VoicePeerError) return error;
  reportError(error);
  return new VoicePeerError("internal", { cause: error });
}

