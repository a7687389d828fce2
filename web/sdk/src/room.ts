/** A call's part in its room: who is there, what the others hear of it, and what it hears of them. */

import { Ears, type EarsPort } from "./ears.js";
import { misuse, needFields } from "./misuse.js";
import type { Channel } from "./wire.js";

/** What the others hear of somebody: the microphone, what is said in the voice of the call, or nothing. */
export type Publishing = Channel.RoomParticipant["publish"];

/** One who is in the room. */
export interface Participant {
  id: string;
  name: string;
  publish: Publishing;
  muted: boolean;
  /** Sound over the level of noise comes of them. */
  speaking: boolean;
  isMe: boolean;
  /** Their sound, while one of the `voices` is theirs; another one when that has changed. */
  track: MediaStreamTrack | null;
}

/** That the room is recorded, or shall be. Nobody is recorded who has not agreed. */
export interface Recording {
  /** For `withdrawFromRecording`, also when it has ended. */
  id: string;
  /** `on` is that somebody is recorded: show that all the time. */
  state: "asked" | "on";
  /** Who has asked for it, and who is recorded, by their ids. */
  by: string | null;
  recorded: readonly string[];
  /** Whether you agree; ask your user where it is `null`. */
  answer: boolean | null;
}

/** The room at one moment. */
export interface RoomView {
  joined: boolean;
  /** Whether you may mute others and put them out. */
  manages: boolean;
  /** Whether you may have the room recorded. */
  records: boolean;
  recording: Recording | null;
  /** You among them; those who came first are first. */
  participants: readonly Participant[];
}

/** How to be in a room. */
export interface RoomOptions {
  /** The microphone unless said otherwise. */
  publish?: Publishing;
  /** Whom the others see; by default the name of the call. */
  name?: string;
  /** How many others are heard at once at most, 8 by default; 16 at most. Whoever begins to speak has a place. */
  voices?: number;
  /** Play them here. On by default. */
  audible?: boolean;
  /**
   * How long to hold their sound back at least, for packets that are late: 60 ms by default, 4,000 at most. The
   * browser takes longer where it needs to. With less they are heard sooner, and break up more often.
   */
  bufferMs?: number;
}

/** What a room needs of its call. */
export interface RoomPort extends Omit<EarsPort, "changed"> {
  ask<Name extends keyof Channel.Requests>(name: Name, fields: Channel.Requests[Name]): Promise<unknown>;
  changed(view: RoomView): void;
}

const OPTION_KINDS = { publish: "string", name: "string", voices: "integer", audible: "boolean", bufferMs: "integer" } as const;
const PUBLISHINGS: readonly unknown[] = ["mic", "voice", "nothing"] satisfies Publishing[];
const MOST_VOICES = 16;
/** W3C webrtc-extensions, `jitterBufferTarget`. */
const MOST_BUFFER_MS = 4_000;

/** The room that the call's `room` names. All methods reject with a `VoicePeerError`. */
export class Room {
  readonly #port: RoomPort;
  readonly #ears: Ears;
  readonly #people = new Map<string, Channel.RoomParticipant>();
  /** Of the sections, by whom they bring. */
  #mids = new Map<string, string>();
  #speaking: readonly string[] = [];
  #me: string | null = null;
  #manages = false;
  #records = false;
  #recording: Recording | null = null;
  #voices = 8;
  /** What was asked for, to be in the room again in another session; `null` outside. */
  #wish: { publish: Publishing; name?: string } | null = null;

  constructor(port: RoomPort) {
    this.#port = port;
    this.#ears = new Ears({ ...port, changed: () => this.#tell() });
  }

  /** Who is there, and how. */
  get view(): RoomView {
    const participants = [...this.#people.values()].map(({ participant: id, name, publish, muted }) => ({
      id, name, publish, muted, speaking: this.#speaking.includes(id), isMe: id === this.#me,
      track: this.#ears.track(this.#mids.get(id) ?? ""),
    }));
    return { joined: this.#me !== null, manages: this.#manages, records: this.#records, recording: this.#recording, participants };
  }

  /** Yourself, where you are in the room. */
  get me(): Participant | null {
    return this.view.participants.find(({ isMe }) => isMe) ?? null;
  }

  /**
   * Let the others hear you, and hear them; the event `room` tells of every change. Inside, it changes
   * what is given here, and nothing else. After a lost connection you are in it again by yourself, muted if you were.
   */
  async join(options: RoomOptions = {}): Promise<void> {
    const before = this.#wish;
    const {
      publish = before?.publish ?? "mic", name = before?.name, voices = this.#voices,
      audible = this.#ears.audible, bufferMs = this.#ears.bufferMs,
    } = needFields("room.join", options, OPTION_KINDS) as RoomOptions;
    needPublishing("room.join", publish);
    if (voices < 0 || voices > MOST_VOICES) throw misuse("room.join", `"voices" is 0 to ${MOST_VOICES}`);
    if (bufferMs < 0 || bufferMs > MOST_BUFFER_MS) throw misuse("room.join", `"bufferMs" is 0 to ${MOST_BUFFER_MS}`);
    this.#wish = { publish, ...(name !== undefined && { name }) };
    this.#voices = voices;
    this.#ears.audible = audible;
    this.#ears.bufferMs = bufferMs;
    try {
      await this.#port.ask("room.join", this.#wish);
    } catch (error) {
      this.#wish = before;
      throw error;
    }
  }

  /** Leave it; the call goes on. */
  async leave(): Promise<void> {
    await this.#port.ask("room.leave", {});
  }

  /** Let the others hear something else. */
  async publish(publish: Publishing): Promise<void> {
    needPublishing("room.publish", publish);
    await this.#port.ask("room.publish", { publish });
    if (this.#wish !== null) this.#wish.publish = publish;
  }

  /**
   * Let the others hear nothing of you, or hear you again; the service still does. With the right to
   * manage, another one can be muted, which only they themselves can end.
   */
  async mute(muted: boolean, participant?: string): Promise<void> {
    await this.#port.ask("room.mute", { muted, ...(participant !== undefined && { participant }) });
  }

  /** Put somebody out for a while, with the right to manage. */
  async kick(participant: string): Promise<void> {
    await this.#port.ask("room.kick", { participant });
  }

  /** Put everybody out, with the right to manage. */
  async end(): Promise<void> {
    await this.#port.ask("room.end", {});
  }

  /** Ask everybody for a recording, or end it, where `records` says that you may. */
  async record(on = true): Promise<void> {
    await this.#port.ask("room.record", { on });
  }

  /**
   * Say whether your user may be recorded, from now on or no longer. What was recorded of them is deleted
   * when they no longer agree, unless they let the service `keep` it.
   */
  async agreeToRecording(agree: boolean, { keep = false }: { keep?: boolean } = {}): Promise<void> {
    await this.#port.ask("room.consent_recording", { agree, ...(keep && { keep }) });
  }

  /**
   * Have what was recorded of your user deleted, also when the recording has ended: by its `id`, from the
   * same call or another one of the same subject.
   */
  async withdrawFromRecording(id: string): Promise<void> {
    await this.#port.ask("room.withdraw_recording", { recording_id: id });
  }

  // --- for the call -------------------------------------------------------------------------

  /** @internal What the service says of the room. */
  hear(name: string, fields: never): void {
    switch (name as keyof Channel.Events) {
      case "room.joined": return this.#joined(fields);
      case "room.roster": return this.#met((fields as Channel.RoomRoster).participants);
      case "room.gone": return this.#gone((fields as Channel.RoomGone).participant);
      case "room.speaking":
        this.#speaking = (fields as Channel.RoomSpeaking).participants;
        return this.#tell();
      case "room.slots":
        this.#mids = new Map((fields as Channel.RoomSlots).slots.map(({ mid, participant }) => [participant ?? "", mid]));
        return this.#tell();
      case "room.recording": return this.#recorded(fields);
      case "room.left": return this.#left();
    }
  }

  /** @internal */
  get ears(): Pick<Ears, "signal" | "refused"> {
    return this.#ears;
  }

  /** @internal The connection of the call is gone, and with it that of the room. */
  lost(): void {
    this.#ears.close();
    this.#mids.clear();
    this.#speaking = [];
    if (this.#me !== null) this.#tell();
  }

  /** @internal The call has a new session, which is in no room: be there as in the one before. */
  async joinAgain(): Promise<void> {
    if (this.#wish === null) return;
    const { ...wish } = this.#wish;
    const muted = this.me?.muted ?? false;
    try {
      // Nothing is heard of whoever is muted, not even for a moment.
      await this.#port.ask("room.join", { ...wish, ...(muted && { publish: "nothing" as const }) });
      if (!muted) return;
      await this.mute(true);
      await this.publish(wish.publish);
    } catch (error) {
      this.#left();
      throw error;
    }
  }

  /** @internal */
  close(): void {
    this.#wish = null;
    this.#left();
  }

  #joined({ participant, manages = false, records = false }: Channel.RoomJoined): void {
    this.#people.clear(); // All of them are told of next, and of a recording.
    this.#me = participant;
    this.#manages = manages;
    this.#records = records;
    this.#recording = null;
    this.#wish ??= { publish: "mic" };
    this.#listen();
  }

  #met(participants: readonly Channel.RoomParticipant[]): void {
    for (const one of participants) this.#people.set(one.participant, one);
    const me = this.#people.get(this.#me ?? "");
    if (me !== undefined && this.#wish !== null) this.#wish.publish = me.publish;
    this.#listen();
    this.#tell();
  }

  /** Browsers work for each section, whoever is in it: have one for each of the others, and some to spare. */
  #listen(): void {
    const others = [...this.#people.values()].filter(({ participant, publish }) => participant !== this.#me && publish !== "nothing");
    const wanted = 2 ** Math.ceil(Math.log2(Math.max(1, others.length)));
    this.#ears.open(Math.min(this.#voices, wanted));
  }

  #gone(participant: string): void {
    this.#people.delete(participant);
    this.#tell();
  }

  #recorded({ state, recording_id: id, by = null, recorded = [], answer = null }: Channel.RoomRecording): void {
    this.#recording = state === "off" ? null : { id, state, by, recorded, answer };
    this.#tell();
  }

  #left(): void {
    const was = this.#me !== null;
    this.#wish = this.#me = this.#recording = null;
    this.#manages = this.#records = false;
    this.#people.clear();
    this.lost();
    if (was) this.#tell();
  }

  #tell(): void {
    this.#port.changed(this.view);
  }
}

function needPublishing(where: string, publish: unknown): void {
  if (!PUBLISHINGS.includes(publish)) throw misuse(where, `"publish" is one of ${PUBLISHINGS.join(", ")}`);
}
