/** One peer connection with its data channel; when it is lost another one is made. */

import { type Deferred, deferred, withTimeout } from "./deferred.js";
import { type Opened, open, seal } from "./envelope.js";
import { VoicePeerError } from "./errors.js";
import { Liveness } from "./liveness.js";
import { type Channel, RTVI_VERSION, type Signaling } from "./wire.js";

const CONNECT_TIMEOUT_MS = 15_000;
/** The service gives a silent client up after 3 s (docs/calls.md). */
const HEARTBEAT_MS = 1_000;

/** What a link needs. */
export interface LinkOptions {
  rtc: RTCConfiguration;
  /** May be `null`: then nothing is sent until `replaceMicrophone`. */
  microphone: MediaStreamTrack | null;
  send: (signal: Signaling.FromClient) => void;
  listener: LinkListener;
}

/** What a link tells. */
export interface LinkListener {
  track(track: MediaStreamTrack): void;
  message(message: Opened): void;
  /** Something came that cannot be understood. */
  broken(): void;
  /** Media has stopped (`false`) or flows again. */
  flows(flowing: boolean): void;
  /** Nothing will come of this link any more; once. */
  lost(reason: string): void;
}

/** A connection to a session. */
export class Link {
  readonly pc: RTCPeerConnection;
  readonly #channel: RTCDataChannel;
  readonly #sender: RTCRtpSender;
  readonly #options: LinkOptions;
  readonly #answer: Deferred<string> = deferred();
  readonly #ready: Deferred<Channel.BotReady> = deferred();
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #closed = false;

  /** Nothing happens before `connect`. */
  constructor(options: LinkOptions) {
    this.#options = options;
    this.pc = new RTCPeerConnection({ bundlePolicy: "max-bundle", ...options.rtc });
    // Both ways even without a microphone, so that one can be added without another offer.
    const transceiver = this.pc.addTransceiver(options.microphone ?? "audio", { direction: "sendrecv" });
    this.#sender = transceiver.sender;
    this.#channel = this.pc.createDataChannel("rtvi", { ordered: true });
    this.#listen();
  }

  /** Offer, and wait until messages can be sent; rejects with a `VoicePeerError`. */
  async connect(): Promise<Channel.BotReady> {
    const late = () => new VoicePeerError("no_connection");
    return withTimeout(this.#negotiate(), CONNECT_TIMEOUT_MS, late);
  }

  /** Take what the service says on the socket about this link. */
  signal(signal: Signaling.FromServer): void {
    if (signal.type === "answer") this.#answer.resolve(signal.sdp);
    else if (signal.type === "candidate") this.#addCandidate(signal);
    else if (signal.type === "error") this.fail(new VoicePeerError(signal.code, { detail: signal.message }));
    else if (signal.type === "bye") this.fail(new VoicePeerError(signal.reason));
  }

  /** Stop waiting for the connection to come about; nothing once it has. */
  fail(error: VoicePeerError): void {
    this.#answer.reject(error);
    this.#ready.reject(error);
  }

  /** Send on the data channel; whether that was possible. */
  send(text: string): boolean {
    if (this.#channel.readyState !== "open") return false;
    this.#channel.send(text);
    return true;
  }

  /** Bytes that wait to be sent. */
  get bufferedBytes(): number {
    return this.#channel.bufferedAmount;
  }

  /** Send another microphone from now on, or none. */
  async replaceMicrophone(track: MediaStreamTrack | null): Promise<void> {
    if (!this.#closed) await this.#sender.replaceTrack(track);
  }

  /** Close; nothing that it still says counts. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#heartbeat);
    this.fail(new VoicePeerError("connection_lost"));
    this.#channel.close();
    this.pc.close();
  }

  async #negotiate(): Promise<Channel.BotReady> {
    const offer = await this.pc.createOffer();
    // The offer goes first: a candidate that came before it would be refused.
    this.#options.send({ type: "offer", sdp: offer.sdp ?? "" });
    await this.pc.setLocalDescription(offer);
    await this.pc.setRemoteDescription({ type: "answer", sdp: await this.#answer.promise });
    return this.#ready.promise;
  }

  #addCandidate(signal: Signaling.Candidate): void {
    const added = this.#answer.promise.then(() => this.pc.addIceCandidate(iceCandidate(signal)));
    added.catch(() => undefined); // One of many ways to connect; without any, connect() tells.
  }

  #listen(): void {
    this.pc.addEventListener("track", ({ track }) => {
      if (!this.#closed) this.#options.listener.track(track);
    });
    this.pc.addEventListener("icecandidate", ({ candidate }) =>
      this.#options.send({ type: "candidate", ...candidate?.toJSON() as Partial<Signaling.Candidate> }));
    this.pc.addEventListener("connectionstatechange", () => this.#stateChanged());
    this.#channel.addEventListener("open", () => this.#greet());
    this.#channel.addEventListener("message", ({ data }) => this.#received(data));
    this.#channel.addEventListener("close", () => this.#lose("channel_closed"));
  }

  #greet(): void {
    const about = { library: "@voicepeer/client", platform: "browser" };
    this.send(seal("client-ready", { version: RTVI_VERSION, about, rtvi_events: false }));
    const liveness = new Liveness(performance.now());
    this.#channel.addEventListener("message", () => liveness.heard(performance.now()));
    this.#heartbeat = setInterval(() => {
      this.send(seal("ping", { sent_ms: performance.now() }));
      if (liveness.lost(performance.now())) this.#lose("connection_lost");
    }, HEARTBEAT_MS);
  }

  #received(data: unknown): void {
    const message = open(data);
    if (message === null || this.#closed) return;
    if (message === "broken") return this.#options.listener.broken();
    if (message.name === "bot-ready") this.#ready.resolve(message.fields as unknown as Channel.BotReady);
    this.#options.listener.message(message);
  }

  #stateChanged(): void {
    if (this.#closed) return;
    const state = this.pc.connectionState;
    if (state === "failed" || state === "closed") this.#lose("connection_lost");
    else if (state === "disconnected" || state === "connected") {
      this.#options.listener.flows(state === "connected");
    }
  }

  #lose(reason: string): void {
    if (this.#closed) return;
    this.close();
    this.#options.listener.lost(reason);
  }
}

/** A candidate as the browser takes it. */
export function iceCandidate({ candidate, sdpMid, sdpMLineIndex }: Signaling.Candidate): RTCIceCandidateInit {
  return { candidate: candidate ?? "", sdpMid: sdpMid ?? null, sdpMLineIndex: sdpMLineIndex ?? null };
}
