/** The microphone of a call: opened, lost, found again, chosen anew, noticed when it gives nothing. */

import { type Device, listDevices, openMicrophone } from "./devices.js";
import { LevelMeter, SILENCE_DBFS } from "./level.js";
import type { NoticeCode, Notify } from "./notices.js";
import { SilenceWatch } from "./silence.js";

/** `off` was never asked for or is turned off; all after `on` leave a call that can only listen. */
export type MicrophoneState = "off" | "on" | "denied" | "missing" | "busy" | "lost";

/** What a microphone needs. */
export interface MicrophonePort {
  /** Send this from now on. */
  send(track: MediaStreamTrack | null): Promise<void>;
  context(): AudioContext | null;
  notify: Notify;
  changed(state: MicrophoneState): void;
}

const LOOK_EVERY_MS = 400;
/** 0.34 to 0.68 s at usual rates, so that looks overlap unless the tab is hidden. */
const WINDOW = 32_768;

const FAULTS: Readonly<Record<string, [MicrophoneState, NoticeCode]>> = {
  NotAllowedError: ["denied", "microphone.denied"],
  SecurityError: ["denied", "microphone.denied"],
  NotFoundError: ["missing", "microphone.missing"],
  OverconstrainedError: ["missing", "microphone.missing"],
  NotReadableError: ["busy", "microphone.busy"],
  AbortError: ["busy", "microphone.busy"],
};

/** One per call. */
export class Microphone {
  readonly #port: MicrophonePort;
  readonly #watch = new SilenceWatch();
  #state: MicrophoneState = "off";
  #track: MediaStreamTrack | null = null;
  #own = true;
  #wanted: string | null = null;
  #meter: LevelMeter | null = null;
  #looking: ReturnType<typeof setInterval> | undefined;
  #muted = false;
  #closed = false;
  #recovery: Promise<boolean> | null = null;

  constructor(port: MicrophonePort) {
    this.#port = port;
  }

  get state(): MicrophoneState {
    return this.#state;
  }

  /** What is sent, or `null` in a call that only listens. */
  get track(): MediaStreamTrack | null {
    return this.#track;
  }

  /** Which one is in use; `null` where there is none. */
  get device(): Device | null {
    const id = this.#track?.getSettings().deviceId ?? "";
    return this.#track === null ? null : { id, label: this.#track.label };
  }

  /** RMS level of the last 0.3 to 0.7 s, in dB relative to full scale; -120 is silence. */
  get dbfs(): number {
    return this.#meter?.dbfs() ?? SILENCE_DBFS;
  }

  /** Whether silence is sent in place of what is said. */
  get muted(): boolean {
    return this.#muted;
  }

  set muted(muted: boolean) {
    this.#muted = muted;
    if (this.#track) this.#track.enabled = !muted;
    this.#watch.reset();
  }

  /**
   * Turn it on, or change to another device. Whether it is on then: where not, a notice tells why,
   * and the call goes on listening.
   */
  async start(deviceId: string | null = this.#wanted): Promise<boolean> {
    this.#wanted = deviceId;
    if (!navigator.mediaDevices?.getUserMedia) return this.#refused("denied", "page.insecure");
    try {
      await this.#take(await openWished(deviceId), true);
      return this.#track !== null;
    } catch (error) {
      const [state, code] = FAULTS[(error as Error)?.name] ?? (["busy", "microphone.busy"] as const);
      return this.#refused(state, code);
    }
  }

  /** Send a track of the application's own; it is never stopped here. */
  async use(track: MediaStreamTrack): Promise<void> {
    await this.#take(track, false);
  }

  /** Turn it off. */
  async stop(): Promise<void> {
    this.#release();
    this.#become("off");
    await this.#port.send(null);
  }

  /** Devices have come or gone: take the wanted one if it is back, any if there was none. */
  async devicesChanged(): Promise<void> {
    if (["off", "denied"].includes(this.#state) || !this.#own) return;
    const { microphones } = await listDevices();
    if (this.#state === "on") {
      const back = microphones.some(({ id }) => id === this.#wanted);
      if (!back || this.device?.id === this.#wanted) return;
    } else if (microphones.length === 0) return;
    await this.#again();
  }

  /** Let go of the device. */
  close(): void {
    this.#closed = true;
    this.#release();
    this.#state = "off";
  }

  async #take(track: MediaStreamTrack, own: boolean): Promise<void> {
    if (this.#closed) {
      if (own) track.stop(); // It was allowed too late.
      return;
    }
    this.#release();
    this.#track = track;
    this.#own = own;
    track.enabled = !this.#muted;
    track.addEventListener("ended", () => { if (track === this.#track) void this.#lost(); });
    this.#become("on");
    this.#listen(track);
    await this.#port.send(track);
  }

  #listen(track: MediaStreamTrack): void {
    const context = this.#port.context();
    if (context === null) return;
    try {
      this.#meter = new LevelMeter(context.createMediaStreamSource(new MediaStream([track])), WINDOW);
    } catch {
      return; // Firefox, where the microphone has another rate than the loudspeakers: no level then.
    }
    this.#looking = setInterval(() => this.#look(context, track), LOOK_EVERY_MS);
  }

  #look(context: AudioContext, track: MediaStreamTrack): void {
    // A context that does not run gives zeros of its own.
    if (this.#muted || (context.state !== "running" && !track.muted)) return this.#watch.reset();
    const isZero = track.muted || !(this.#meter?.samples().some((sample) => sample !== 0) ?? true);
    const change = this.#watch.look(isZero, performance.now());
    if (change !== null) this.#port.notify(`microphone.${change}`);
  }

  async #lost(): Promise<void> {
    const own = this.#own;
    this.#release();
    this.#become("lost");
    if (!own || !await this.#again()) {
      await this.#port.send(null);
      this.#port.notify("microphone.lost");
    }
  }

  /** Once at a time, whatever tells first: the end of a track, or the devices that are there. */
  #again(): Promise<boolean> {
    this.#recovery ??= this.#recover().finally(() => { this.#recovery = null; });
    return this.#recovery;
  }

  /** Quietly: what is missing was told of already. */
  async #recover(): Promise<boolean> {
    try {
      await this.#take(await openWished(this.#wanted), true);
    } catch {
      return false;
    }
    if (this.#track === null) return false;
    this.#port.notify("microphone.changed", this.#track.label);
    return true;
  }

  #refused(state: MicrophoneState, code: NoticeCode): false {
    if (this.#state !== "on") this.#become(state);
    this.#port.notify(code);
    return false;
  }

  #become(state: MicrophoneState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#port.changed(state);
  }

  #release(): void {
    clearInterval(this.#looking);
    this.#watch.reset();
    this.#meter?.close();
    this.#meter = null;
    const track = this.#track;
    this.#track = null;
    if (this.#own) track?.stop();
  }
}

/** The wished device, or any where that is gone. */
async function openWished(deviceId: string | null): Promise<MediaStreamTrack> {
  try {
    return await openMicrophone(deviceId);
  } catch (error) {
    const gone = ["OverconstrainedError", "NotFoundError"].includes((error as Error)?.name);
    if (deviceId === null || !gone) throw error;
    return openMicrophone(null);
  }
}
