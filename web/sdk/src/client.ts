/** A call with a VoicePeer service: the class that applications use. */

import { serviceUrl } from "./address.js";
import type { CallEvents, CameBack } from "./call_events.js";
import { Connection, type Reconnected } from "./connection.js";
import { type Devices, listDevices } from "./devices.js";
import { Emitter } from "./emitter.js";
import { Enrolment, type Consent } from "./enrolment.js";
import type { Incoming, Opened, Outgoing } from "./envelope.js";
import { VoicePeerError } from "./errors.js";
import { ServiceHttp } from "./http.js";
import type { CallState } from "./lifecycle.js";
import { Memory, type Remembered } from "./memory.js";
import { CONTROL_KINDS, misuse, needConsent, needFields, needTable } from "./misuse.js";
import { Microphone } from "./microphone.js";
import { type NoticeCode, notice } from "./notices.js";
import type { VoicePeerOptions } from "./options.js";
import { Requests, refusal } from "./requests.js";
import { Room } from "./room.js";
import { Sound } from "./sound.js";
import { asFields, type Fields, judgeMessage } from "./shapes.js";
import { Speaking } from "./speaking.js";
import { Speech } from "./speech.js";
import { type CallStats, type Counters, counters, digest } from "./stats.js";
import { setLanguage } from "./texts.js";
import { refusalOf, tokenOf } from "./token.js";
import { type Controls, type Delivery, type Utterance, wireFields } from "./utterance.js";
import { Voices } from "./voices.js";
import { waitForService } from "./waiting.js";
import type { Channel } from "./wire.js";

const MOST_REDIRECTS = 3;

/** Answers that are events as well, so that there is one place to listen for them. */
const ANSWERS = {
  "voice.use": "voice.selected",
  "voice.mix": "voice.selected",
  "voice.save": "voice.saved",
  "session.configure": "session.configured",
  "lexicon.set": "lexicon.accepted",
  "stats.get": "stats",
} as const satisfies Partial<Record<keyof Channel.Requests, keyof Channel.Events>>;

/**
 * One call, from `connect` to `close`. Methods that ask the service for something reject, and those
 * that only send throw, with a `VoicePeerError`.
 */
export class VoicePeer extends Emitter<CallEvents> {
  /** The microphone of the call. */
  readonly microphone: Microphone;
  /** The voice that comes. */
  readonly speech: Speech;
  /** Voices that outlive the call. */
  readonly voices: Voices;
  /** Others who are in the call's room. */
  readonly room: Room;
  readonly #url: URL;
  readonly #wish: VoicePeerOptions["microphone"];
  readonly #token: () => Promise<string | null>;
  readonly #connection: Connection;
  readonly #sound: Sound;
  readonly #speaking: Speaking;
  readonly #requests = new Requests();
  readonly #memory = new Memory();
  readonly #listening = new AbortController();
  #enrolment: { enrolment: Enrolment; fields: Channel.EnrolStart } | null = null;
  #counted: Counters | null = null;
  #begun = false;

  /** Make it in a click or key press: browsers let only those pages sound. Throws `misuse`. */
  constructor(options: VoicePeerOptions = {}) {
    super();
    if (options.language !== undefined) setLanguage(options.language);
    this.#wish = options.microphone ?? true;
    this.#url = serviceUrl(options.url ?? ".", document.baseURI);
    this.#token = tokenOf(options.token ?? null);
    const notify = (code: NoticeCode, detail = "") => this.#notify(code, detail);
    this.#sound = new Sound(notify);
    this.speech = new Speech(this.#sound, options.audible ?? true, notify, options.player);
    this.microphone = new Microphone({
      send: (track) => this.#connection.replaceMicrophone(track),
      context: () => this.#sound.context,
      notify,
      changed: (state) => this.emit("microphone", state),
    });
    this.#connection = this.#newConnection(options);
    this.#speaking = this.#newSpeaking();
    this.voices = new Voices(new ServiceHttp(() => this.#connection.service, this.#token), {
      use: async (voiceId) => selected(await this.#remembered("voice.use", { voice_id: voiceId })),
      mix: async (weights) => selected(await this.#remembered("voice.mix", { weights })),
      save: (name) => this.#save(name),
    });
    this.room = this.#newRoom();
    this.#hearConnection();
  }

  /** Where the call stands. */
  get state(): CallState {
    return this.#connection.state;
  }

  /** Names the call in the service's log and its API; empty before there is one. */
  get sessionId(): string {
    return this.#connection.sessionId;
  }

  /** The peer connection of the moment, for what is not done here; another one after each reconnection. */
  get peerConnection(): RTCPeerConnection | null {
    return this.#connection.pc;
  }

  /**
   * Wait until the service takes calls, ask for the microphone, and connect. Without a microphone the
   * call only listens, and a notice tells why. Once. Rejects with a `VoicePeerError`.
   */
  async connect(): Promise<CameBack> {
    if (this.state === "closed") throw new VoicePeerError("call_over");
    if (this.#begun) throw misuse("connect", "this call has begun; a VoicePeer is one call, make another for another one");
    this.#begun = true;
    if (typeof RTCPeerConnection === "undefined") throw new VoicePeerError("browser.unsupported");
    try {
      await waitForService(this.#url, (reason) => this.#notify("service.starting", reason), this.#listening.signal);
      await this.#openMicrophone();
      const { restored, ready } = await this.#connection.open();
      this.#speaking.restored(ready.utterances ?? []);
      return { restored, voiceLost: false };
    } catch (error) {
      this.detach();
      throw error;
    }
  }

  /** Hang up; harmless when it is over already. */
  close(): void {
    this.#connection.close();
    this.#free();
  }

  /** Let go of the call without ending it: another page, or this one after a reload, can `resume` it. */
  detach(): void {
    this.#connection.detach();
    this.#free();
  }

  // --- a voice ------------------------------------------------------------------------------

  /** Let the service learn the voice of the microphone, whose speaker agrees to that. Throws `misuse`. */
  enrol(consent: Consent): Enrolment {
    needConsent("enrol", consent);
    const { consentVersion, consentId, consent: statement, name } = consent;
    const fields: Channel.EnrolStart = {
      ...(statement !== undefined && { consent: statement }), ...(name !== undefined && { name }),
      ...(consentId !== undefined && { consent_id: consentId }),
      ...(consentVersion !== undefined && { consent_version: consentVersion }),
    };
    const enrolment = new Enrolment(() => void this.#ask("enrol.stop", {}).catch(() => undefined));
    this.#enrolment?.enrolment.fail(new VoicePeerError("enrolment_stopped"));
    this.#enrolment = { enrolment, fields };
    this.#ask("enrol.start", fields).catch((error: VoicePeerError) => enrolment.fail(error));
    return enrolment;
  }

  // --- a text -------------------------------------------------------------------------------

  /**
   * Say a text in the voice of the call: a whole one, or one that is still being written. Throws
   * `misuse` for what is no text or an empty one, and for settings that there are none of.
   */
  speak(text: string | AsyncIterable<string>, delivery: Delivery = {}): Utterance {
    return this.#speaking.speak(text, delivery);
  }

  /** An utterance whose text is appended bit by bit. */
  open(delivery: Delivery = {}): Utterance {
    return this.#speaking.open(delivery);
  }

  /** All that waits or is being said. */
  get utterances(): Utterance[] {
    return this.#speaking.utterances;
  }

  /** Fall silent, and say nothing of what waits. */
  cancel(): void {
    this.#connection.send("utterance.cancel", {});
  }

  /** Speak differently from now on. */
  async control(controls: Controls): Promise<void> {
    needFields("control", controls, CONTROL_KINDS);
    await controlled(this.#remembered("controls.set", wireFields(controls) as Channel.SetControls));
  }

  /** Say words in another way: a spelling, or IPA between slashes. */
  async setLexicon(words: Record<string, string>, voiceId?: string): Promise<void> {
    needTable("setLexicon", words, "string", "words");
    await this.#remembered("lexicon.set", { words, ...(voiceId !== undefined && { voice_id: voiceId }) });
  }

  /** Settings of the session, such as `{ barge_in: true }`: whether speech interrupts ours. */
  async configure(settings: Channel.SessionConfigure): Promise<void> {
    if (asFields(settings) === null) throw misuse("configure", "settings are an object");
    await this.#remembered("session.configure", settings);
  }

  // --- the rest -----------------------------------------------------------------------------

  /** What the connection has been like since the last time that this was asked. */
  async stats(): Promise<CallStats | null> {
    const report = await this.#connection.pc?.getStats();
    if (report === undefined) return null;
    const now = counters(report);
    const before = this.#counted;
    this.#counted = now;
    return digest(now, before);
  }

  /** The service's own counters of the session. */
  async serviceStats(): Promise<Channel.Stats> {
    return await this.#ask("stats.get", {}) as unknown as Channel.Stats;
  }

  /** Microphones and outputs. */
  devices(): Promise<Devices> {
    return listDevices();
  }

  /** ICE servers for connections of the application's own. */
  async iceServers(): Promise<RTCIceServer[]> {
    const { ice_servers: servers } = await new ServiceHttp(() => this.#connection.service, this.#token).json("GET", "v1/realtime/ice-servers", { ice_servers: "object[]" });
    return servers as RTCIceServer[];
  }

  /** Try again to play what the browser has blocked; clicks and keys do so by themselves. Whether there is sound. */
  resumeAudio(): Promise<boolean> {
    return this.#sound.resume();
  }

  /** Send any message of docs/wire.md, for what has no method here; gives what it is answered with. */
  request<Name extends keyof Channel.Requests>(name: Name, fields: Channel.Requests[Name]): Promise<Fields> {
    return this.#ask(name, fields);
  }

  // --- inside -------------------------------------------------------------------------------

  #newConnection({ token, room = "default", name = "", rtc = {}, resume, follow = true }: VoicePeerOptions): Connection {
    return new Connection({
      url: this.#url, token: this.#token, refusal: (error) => refusalOf(error, token ?? null), room, name, rtc, resume: resume ?? null,
      microphone: () => this.microphone.track, redirects: follow ? MOST_REDIRECTS : 0,
    });
  }

  #newSpeaking(): Speaking {
    return new Speaking({
      send: (name, fields) => this.#connection.send(name, fields),
      bufferedBytes: () => this.#connection.bufferedBytes,
      set: async (id, controls) => {
        needFields("set", controls, CONTROL_KINDS);
        await controlled(this.#ask("controls.set", { ...wireFields(controls) as Channel.SetControls, utterance_id: id }));
      },
      samples: () => this.speech.samples(),
      audible: (utterance, audible) => this.emit("audible", { utterance, audible }),
      word: (utterance, word) => this.emit("word", { utterance, word }),
      finished: (utterance, end) => this.emit("finished", { utterance, end }),
    });
  }

  #newRoom(): Room {
    return new Room({
      ask: (name, fields) => this.#ask(name, fields),
      rtc: () => this.#connection.rtc,
      send: (signal) => this.#connection.signal(signal),
      play: (player) => void this.#sound.play(player),
      stop: (player) => this.#sound.stop(player),
      changed: (view) => this.emit("room", view),
      failed: (error) => this.emit("error", error),
    });
  }

  async #openMicrophone(): Promise<void> {
    if (this.#wish === false) return;
    if (typeof this.#wish === "object") await this.microphone.use(this.#wish);
    else await this.microphone.start(this.#wish === true ? null : this.#wish as string);
    const { signal } = this.#listening;
    navigator.mediaDevices?.addEventListener("devicechange", () => void this.microphone.devicesChanged(), { signal });
    this.#awaitPermission(signal);
  }

  /** When the microphone is allowed after all, take it. */
  #awaitPermission(signal: AbortSignal): void {
    const name = "microphone" as PermissionName; // Firefox knows it since 131.
    navigator.permissions?.query({ name }).then((permission) => {
      permission.addEventListener("change", () => {
        if (permission.state === "granted" && this.microphone.state === "denied") void this.microphone.start();
      }, { signal });
    }).catch(() => undefined);
  }

  #hearConnection(): void {
    this.#connection.on("state", (state) => {
      if (state === "interrupted") this.#notify("connection.lost");
      this.emit("state", state);
    });
    this.#connection.on("track", (track) => {
      this.speech.take(track);
      this.emit("track", track);
    });
    this.#connection.on("resumption", (resumption) => this.emit("resumption", resumption));
    this.#connection.on("message", (message) => this.#hear(message));
    this.#connection.on("broken", () => this.emit("error", new VoicePeerError("bad_answer")));
    this.#connection.on("ears", (signal) => this.room.ears.signal(signal));
    this.#connection.on("refused", (error) => { if (!this.room.ears.refused(error)) this.emit("error", error); });
    this.#connection.on("lost", () => {
      this.room.lost();
      this.#requests.lost();
      this.#speaking.interrupted();
    });
    this.#connection.on("reconnected", (came) => this.#cameBack(came));
    this.#connection.on("ended", ({ code, message, fault }) => {
      this.#free();
      this.emit("closed", { reason: code, message, fault });
    });
  }

  #hear(message: Opened): void {
    const { kind, name, fields } = message;
    if (kind !== "event") {
      if (!this.#requests.take(message) && kind === "refusal") this.#failed(refusal(fields));
    } else if (name === "error") this.#failed(refusal(fields));
    else if (name !== "pong") {
      this.#follow(name, fields as never);
      this.emit(name as keyof CallEvents, fields as never);
    }
  }

  #failed(error: VoicePeerError): void {
    if (error.utteranceId !== undefined && this.#speaking.refused(error.utteranceId, error)) return;
    this.emit("error", error);
  }

  /** Let the handles of what goes on know. */
  #follow(name: string, fields: never): void {
    const enrolment = this.#enrolment?.enrolment;
    if (name.startsWith("room.")) return this.room.hear(name, fields);
    switch (name as keyof Incoming) {
      case "utterance.started": return this.#speaking.started(fields);
      case "utterance.word": return this.#speaking.word(fields);
      case "utterance.done": return this.#speaking.done(fields);
      case "utterance.cancelled": return this.#speaking.cancelled(fields);
      case "utterance.failed": return this.#speaking.failed(fields);
      case "voice.progress": return enrolment?.progressed(fields);
      case "voice.usable":
        this.#memory.learned();
        return enrolment?.becameUsable(fields);
      case "voice.ready":
        this.#memory.learned();
        return enrolment?.becameReady(fields);
      case "voice.rejected":
        return enrolment?.fail(new VoicePeerError("voice_rejected", { detail: (fields as Channel.VoiceRejected).message }));
    }
  }

  #cameBack({ restored, ready }: Reconnected): void {
    const voiceLost = !restored && this.#memory.losesVoice;
    if (restored) this.#speaking.restored(ready.utterances ?? []);
    else {
      this.#speaking.restored([]);
      for (const [name, fields] of this.#memory.replay()) this.#ask(name, fields as never).catch(() => undefined);
      this.room.joinAgain().catch((error: VoicePeerError) => this.emit("error", error));
    }
    this.#enrolAgain(restored);
    this.#notify(restored ? "connection.back" : "connection.new");
    this.emit("reconnected", { restored, voiceLost });
  }

  /** What was being learned is lost with a connection; a voice that was usable stays as it was. */
  #enrolAgain(restored: boolean): void {
    if (this.#enrolment === null || this.#enrolment.enrolment.isOver) return;
    const { enrolment, fields } = this.#enrolment;
    if (restored && enrolment.settle()) return;
    this.#ask("enrol.start", fields).catch((error: VoicePeerError) => enrolment.fail(error));
  }

  async #save(name: string): Promise<{ voiceId: string; name: string }> {
    const saved = selected(await this.#ask("voice.save", { name }));
    if (this.#memory.losesVoice) this.#memory.asked("voice.use", { voice_id: saved.voiceId });
    return saved;
  }

  async #remembered<Name extends Remembered[0]>(name: Name, fields: Channel.Requests[Name]): Promise<Fields> {
    const answer = await this.#ask(name, fields);
    this.#memory.asked(...[name, fields] as unknown as Remembered);
    return answer;
  }

  async #ask<Name extends keyof Channel.Requests>(name: Name, fields: Channel.Requests[Name]): Promise<Fields> {
    const answer = await this.#requests.ask((id) => this.#connection.send(name, fields as Outgoing[Name], id));
    const event = ANSWERS[name as keyof typeof ANSWERS];
    if (event === undefined) return answer;
    if (judgeMessage(event, answer) !== "fits") throw new VoicePeerError("bad_answer", { detail: name });
    this.emit(event, answer as never);
    return answer;
  }

  #notify(code: NoticeCode, detail = ""): void {
    const told = notice(code, detail);
    this.emit(code, told as CallEvents[NoticeCode]);
    this.emit("notice", told);
  }

  #free(): void {
    this.#listening.abort();
    const over = new VoicePeerError("connection_lost");
    this.#requests.lost();
    this.#speaking.close(over);
    this.room.close();
    this.#enrolment?.enrolment.fail(over);
    this.microphone.close();
    this.speech.close();
    this.#sound.close();
  }
}

/** The service has one code for whatever cannot be said; here there is no text that it could be about. */
async function controlled(asked: Promise<Fields>): Promise<void> {
  try {
    await asked;
  } catch (cause) {
    const refused = cause instanceof VoicePeerError && cause.code === "text_rejected";
    throw refused ? new VoicePeerError("controls_rejected", { detail: cause.detail, cause }) : cause;
  }
}

function selected(answer: Fields): { voiceId: string; name: string } {
  return { voiceId: String(answer["voice_id"]), name: String(answer["name"]) };
}
