/** The cloned voice as it comes: played here, measured, and given on as one lasting track. */

import { canChooseOutput } from "./devices.js";
import { LevelMeter, SILENCE_DBFS } from "./level.js";
import type { Notify } from "./notices.js";
import type { Sound } from "./sound.js";

/** 170 ms at 48 kHz: the past in which the beginning of a sound is looked for. */
const WINDOW = 8_192;

/** What is heard of the service. */
export class Speech {
  /**
   * The voice as a track for any conference: the same one for the whole call, over all reconnections.
   * `null` where the browser has no Web Audio; then use `remoteTrack`.
   */
  readonly track: MediaStreamTrack | null;
  readonly #sound: Sound;
  readonly #notify: Notify;
  readonly #out: MediaStreamAudioDestinationNode | null;
  readonly #player: HTMLAudioElement;
  #source: MediaStreamAudioSourceNode | null = null;
  #meter: LevelMeter | null = null;
  #remote: MediaStreamTrack | null = null;

  /** `audible`: whether it is played here, too, by `player` or by an element of its own. */
  constructor(sound: Sound, audible: boolean, notify: Notify, player?: HTMLAudioElement) {
    this.#sound = sound;
    this.#notify = notify;
    this.#out = sound.context?.createMediaStreamDestination() ?? null;
    this.track = this.#out?.stream.getAudioTracks()[0] ?? null;
    this.#player = player ?? document.createElement("audio");
    this.#player.muted = !audible;
  }

  /** The track as it comes over the connection: another one after each reconnection. */
  get remoteTrack(): MediaStreamTrack | null {
    return this.#remote;
  }

  /** RMS level of the last 0.2 s, in dB relative to full scale; -120 is silence. */
  get dbfs(): number {
    return this.#meter?.dbfs() ?? SILENCE_DBFS;
  }

  /** The last 0.2 s, for measuring; `null` before there is a connection or while sound is blocked. */
  samples(): { samples: Float32Array; rateHz: number } | null {
    const context = this.#sound.context;
    if (this.#meter === null || context?.state !== "running") return null;
    return { samples: this.#meter.samples(), rateHz: context.sampleRate };
  }

  /** Whether it is silent here; the tracks sound all the same. */
  get muted(): boolean {
    return this.#player.muted;
  }

  set muted(muted: boolean) {
    this.#player.muted = muted;
  }

  /** How loud it is played here, 0 to 1. */
  get volume(): number {
    return this.#player.volume;
  }

  set volume(volume: number) {
    this.#player.volume = volume;
  }

  /** Play through another output, those in the room as well. Whether it does; where not, a notice tells why. */
  async setOutput(deviceId: string): Promise<boolean> {
    if (!canChooseOutput()) {
      this.#notify("output.fixed");
      return false;
    }
    try {
      await this.#player.setSinkId(deviceId);
      this.#sound.follow(this.#player, deviceId);
    } catch {
      this.#notify("output.missing");
      return false;
    }
    return true;
  }

  /** @internal A connection has brought this track. */
  take(track: MediaStreamTrack): void {
    this.#release();
    this.#remote = track;
    const stream = new MediaStream([track]);
    // Chromium gives Web Audio no sound of a remote track that no media element has.
    this.#player.srcObject = stream;
    const { context } = this.#sound;
    if (context !== null && this.#out !== null) {
      this.#source = context.createMediaStreamSource(stream);
      this.#source.connect(this.#out);
      this.#meter = new LevelMeter(this.#source, WINDOW);
    }
    void this.#sound.play(this.#player);
  }

  /** @internal */
  close(): void {
    this.#release();
    this.track?.stop();
  }

  #release(): void {
    this.#meter?.close();
    this.#source?.disconnect();
    this.#meter = this.#source = null;
  }
}
