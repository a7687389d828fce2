/** The second connection of a call: it hears the others of its room, each in a section of their own. */

import { Backoff } from "./backoff.js";
import { type Deferred, deferred, sleep, withTimeout } from "./deferred.js";
import { asVoicePeerError, VoicePeerError } from "./errors.js";
import { iceCandidate } from "./link.js";
import type { Signaling } from "./wire.js";

const CONNECT_TIMEOUT_MS = 15_000;
const TRY_FOR_MS = 60_000;
/** Refusals after which another attempt may go better. */
const PASSING: ReadonlySet<string> = new Set(["no_connection", "unreachable", "connection_lost", "timeout"]);

/** What ears need, and what they tell. */
export interface EarsPort {
  rtc(): RTCConfiguration;
  /** Whether it was sent: it is not while there is no socket. */
  send(signal: Signaling.FromClient): boolean;
  /** Play an element, or let go of it. */
  play(player: HTMLAudioElement): void;
  stop(player: HTMLAudioElement): void;
  /** Other tracks are there. */
  changed(): void;
  /** It is given up. */
  failed(error: VoicePeerError): void;
}

/** Kept up from `open` to `close`; made anew when it is lost. */
export class Ears {
  readonly #port: EarsPort;
  readonly #players = new Map<string, HTMLAudioElement>();
  readonly #tracks = new Map<string, MediaStreamTrack>();
  #pc: RTCPeerConnection | null = null;
  #answer: Deferred<string> | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #voices = 0;
  #audible = true;
  #bufferMs = 60;

  constructor(port: EarsPort) {
    this.#port = port;
  }

  /** What comes in a section, by its `mid`. */
  track(mid: string): MediaStreamTrack | null {
    return this.#tracks.get(mid) ?? null;
  }

  /** Whether it is heard here. */
  get audible(): boolean {
    return this.#audible;
  }

  set audible(audible: boolean) {
    this.#audible = audible;
    for (const player of this.#players.values()) player.muted = !audible;
  }

  /** How long to hold sound back at least, so that packets that come late are still in time. */
  get bufferMs(): number {
    return this.#bufferMs;
  }

  set bufferMs(bufferMs: number) {
    this.#bufferMs = bufferMs;
    for (const { receiver } of this.#pc?.getTransceivers() ?? []) hold(receiver, bufferMs);
  }

  /** Hear so many at once, over the connection that there is or over a new one. */
  open(voices: number): void {
    const pc = this.#pc;
    const more = voices - this.#voices;
    if (pc === null) {
      this.#voices = voices;
      if (voices > 0) void this.#keepUp(this.#newPeer());
    } else if (more > 0) {
      this.#voices = voices;
      this.#addSections(pc, more);
      within(this.#negotiate(pc)).catch(() => this.#anew(pc));
    }
  }

  /** Hear nobody any more. */
  close(): void {
    const pc = this.#pc;
    this.#pc = null;
    this.#answer?.reject(new VoicePeerError("connection_lost"));
    pc?.close();
    for (const player of this.#players.values()) this.#port.stop(player);
    this.#players.clear();
    this.#tracks.clear();
  }

  /** Take what the service says on the socket about this connection. */
  signal(signal: Signaling.FromServer): void {
    if (signal.type === "answer") this.#answer?.resolve(signal.sdp);
    else if (signal.type === "candidate") void this.#pc?.addIceCandidate(iceCandidate(signal)).catch(() => undefined);
  }

  /** Whether a refusal, which does not say of what, is of the offer that waits for its answer. */
  refused(error: VoicePeerError): boolean {
    const waits = this.#answer;
    this.#answer = null;
    waits?.reject(error);
    return waits !== null;
  }

  // --- inside -------------------------------------------------------------------------------

  async #keepUp(first: RTCPeerConnection): Promise<void> {
    const backoff = new Backoff(performance.now(), TRY_FOR_MS);
    for (let pc = first; ;) {
      try {
        return await within(this.#connect(pc));
      } catch (cause) {
        if (pc !== this.#pc) return;
        const error = asVoicePeerError(cause);
        const delay = PASSING.has(error.code) ? backoff.next(performance.now()) : null;
        if (delay === null) return this.#giveUp(error);
        await sleep(delay);
        if (pc !== this.#pc) return;
        this.close();
        pc = this.#newPeer();
      }
    }
  }

  #giveUp(error: VoicePeerError): void {
    this.close();
    this.#port.failed(error);
  }

  #newPeer(): RTCPeerConnection {
    const pc = this.#pc = new RTCPeerConnection({ bundlePolicy: "max-bundle", ...this.#port.rtc() });
    pc.addEventListener("track", ({ track, transceiver: { mid } }) => { if (pc === this.#pc) this.#take(String(mid), track); });
    pc.addEventListener("icecandidate", ({ candidate }) => this.#port.send(
      { type: "candidate", ...candidate?.toJSON() as Partial<Signaling.Candidate>, connection: "room" }));
    this.#addSections(pc, this.#voices);
    return pc;
  }

  #addSections(pc: RTCPeerConnection, count: number): void {
    for (let section = 0; section < count; section += 1) {
      hold(pc.addTransceiver("audio", { direction: "recvonly" }).receiver, this.#bufferMs);
    }
  }

  #anew(pc: RTCPeerConnection): void {
    if (pc !== this.#pc) return;
    this.close();
    this.open(this.#voices);
  }

  async #connect(pc: RTCPeerConnection): Promise<void> {
    let stands = false;
    const settled = deferred<void>();
    pc.addEventListener("connectionstatechange", () => {
      if (pc.connectionState === "connected") {
        stands = true;
        settled.resolve();
      } else if (pc.connectionState === "failed") {
        if (stands) this.#anew(pc);
        else settled.reject(new VoicePeerError("no_connection"));
      }
    });
    await this.#negotiate(pc);
    await settled.promise;
  }

  /** One offer after the other: an answer does not say which one it is for. */
  #negotiate(pc: RTCPeerConnection): Promise<void> {
    const done = this.#turn.then(() => this.#offer(pc));
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #offer(pc: RTCPeerConnection): Promise<void> {
    const answer = this.#answer = deferred<string>();
    const offer = await pc.createOffer();
    // The offer goes first: a candidate that came before it would be refused.
    if (!this.#port.send({ type: "offer", sdp: offer.sdp ?? "", connection: "room" })) throw new VoicePeerError("unreachable");
    await pc.setLocalDescription(offer);
    const sdp = await answer.promise;
    this.#answer = null;
    await pc.setRemoteDescription({ type: "answer", sdp });
  }

  #take(mid: string, track: MediaStreamTrack): void {
    this.#tracks.set(mid, track);
    // Chromium decodes a remote track only for an element, wherever else it goes.
    const player = document.createElement("audio");
    player.muted = !this.#audible;
    player.srcObject = new MediaStream([track]);
    this.#players.set(mid, player);
    this.#port.play(player);
    this.#port.changed();
  }
}

function within<Value>(promise: Promise<Value>): Promise<Value> {
  return withTimeout(promise, CONNECT_TIMEOUT_MS, () => new VoicePeerError("no_connection"));
}

/** Browsers begin with less than their senders are late by now and then; those that have no such wish go on so. */
function hold(receiver: RTCRtpReceiver, bufferMs: number): void {
  if ("jitterBufferTarget" in receiver) receiver.jitterBufferTarget = bufferMs;
}
