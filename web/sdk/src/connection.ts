/** A call's way to the service: kept up over lost sockets, lost connections and restarts. */

import { Backoff } from "./backoff.js";
import { sleep } from "./deferred.js";
import { type Opened, type Outgoing, seal } from "./envelope.js";
import { asVoicePeerError, VoicePeerError } from "./errors.js";
import { Emitter } from "./emitter.js";
import { randomId } from "./ids.js";
import { type CallState, type Happening, type Stage, isReturnable, next, seen } from "./lifecycle.js";
import { Link } from "./link.js";
import { SignalSocket } from "./signaling.js";
import type { Channel, Signaling } from "./wire.js";

/** What lets another page, or this one after a reload, go on with the call. Keep it secret. */
export interface Resumption {
  token: string;
  clientId: string;
}

/** The connection was made anew. */
export interface Reconnected {
  /** The session goes on as it was; otherwise the service had forgotten it, and this is a new one. */
  restored: boolean;
  ready: Channel.BotReady;
}

/** What the connection tells. */
export interface ConnectionEvents {
  state: CallState;
  track: MediaStreamTrack;
  message: Opened;
  /** Of the connection that hears the room. */
  ears: Signaling.FromServer;
  /** The service does not take something that was sent on the socket. */
  refused: VoicePeerError;
  /** The service has said something that this client does not understand. */
  broken: undefined;
  resumption: Resumption;
  /** The connection is gone, and with it whatever was under way on it; another one is tried for. */
  lost: undefined;
  reconnected: Reconnected;
  /** Once; its code is the reason of `bye`, or one of ours. */
  ended: VoicePeerError;
}

/** Where to, and as whom. */
export interface ConnectionOptions {
  /** Of the service, with a path that ends in a slash where it is not at the root. */
  url: URL;
  token: () => Promise<string | null>;
  /** Makes of a refusal what is told of it. */
  refusal: (error: VoicePeerError) => VoicePeerError;
  room: string;
  name: string;
  rtc: RTCConfiguration;
  microphone: () => MediaStreamTrack | null;
  resume: Resumption | null;
  /** How often in a row to go where a service sends us. */
  redirects: number;
}

/** What the service keeps of a lost session it keeps for 60 s (docs/calls.md). */
const COME_BACK_WITHIN_MS = 60_000;
/** Without its socket a session lives on for 4 s; later a new connection is needed. */
const RESUME_WITHIN_MS = 4_000;
/** A proxy that breaks sockets takes new ones at once; a service that does not is gone, whatever still seems to flow. */
const GONE_AFTER_MS = 2_000;
/** A service that drops every new connection at once is not asked for ever. */
const STABLE_AFTER_MS = 5_000;
const MAX_SHORT_LIVES = 5;
/** What is asked for while there is no connection waits for it, up to this many messages. */
const MAX_WAITING = 200;

const WORTH_ANOTHER_TRY: ReadonlySet<string> = new Set([
  "unreachable", "token_failed", "no_connection", "connection_lost", "channel_closed", "timeout", "not_ready", "at_capacity",
  "shutting_down", "client_vanished",
]);

/** Makes the connection, and makes it again when it is lost. */
export class Connection extends Emitter<ConnectionEvents> {
  readonly #options: ConnectionOptions;
  readonly #clientId: string;
  #stage: Stage = "idle";
  #socket: SignalSocket | null = null;
  #link: Link | null = null;
  #resumeToken: string | null;
  #sessionId = "";
  #service: URL;
  #rtc: RTCConfiguration = {};
  #waiting: string[] = [];
  /** The session was lost for good since there was a connection. */
  #forgotten = false;
  #connectedAt = 0;
  #shortLives = 0;

  constructor(options: ConnectionOptions) {
    super();
    this.#options = options;
    this.#service = options.url;
    this.#clientId = options.resume?.clientId ?? randomId();
    this.#resumeToken = options.resume?.token ?? null;
  }

  get state(): CallState {
    return seen(this.#stage);
  }

  /** Of the call in the service's log and API; empty before the first connection. */
  get sessionId(): string {
    return this.#sessionId;
  }

  get pc(): RTCPeerConnection | null {
    return this.#link?.pc ?? null;
  }

  /** The service that has the session; another one than was named where that has the room. */
  get service(): URL {
    return this.#service;
  }

  /** For further connections to the same session. */
  get rtc(): RTCConfiguration {
    return this.#rtc;
  }

  /** Send on the socket; whether there is one. */
  signal(signal: Signaling.FromClient): boolean {
    return this.#socket?.send(signal) ?? false;
  }

  /** Connect; rejects with a `VoicePeerError`. `restored` where an earlier session goes on. */
  async open(): Promise<Reconnected> {
    if (this.#stage !== "idle") throw new VoicePeerError("call_over");
    this.#happen("connect");
    try {
      const connected = await this.#connect();
      this.#established();
      return connected;
    } catch (error) {
      this.#socket?.leave(); // Nobody comes back to it.
      this.#free("ended");
      throw asVoicePeerError(error);
    }
  }

  /** Send a message, at once or when the connection is back. Throws `not_connected` where there is none. */
  send<Name extends keyof Outgoing>(name: Name, fields: Outgoing[Name], id?: string): void {
    const text = seal(name, fields, id);
    if (this.#stage === "rejoining" && this.#waiting.length < MAX_WAITING) this.#waiting.push(text);
    else if (this.#stage === "rejoining" || !this.#link?.send(text)) throw new VoicePeerError("not_connected");
  }

  /** Bytes that wait to be sent. */
  get bufferedBytes(): number {
    return this.#link?.bufferedBytes ?? 0;
  }

  /** Send another microphone from now on, or none. */
  async replaceMicrophone(track: MediaStreamTrack | null): Promise<void> {
    await this.#link?.replaceMicrophone(track);
  }

  /** Hang up; harmless when it is over already. */
  close(): void {
    this.#socket?.leave();
    this.#end("client_left");
  }

  /** Let go without ending the session, which the service keeps for whoever resumes it. */
  detach(): void {
    this.#free("ended");
  }

  // --- once ---------------------------------------------------------------------------------

  /** Make a connection, in the session that was just joined or in one that is joined for it. */
  async #connect(joined?: Signaling.Joined): Promise<Reconnected> {
    const session = joined ?? await this.#join({ resume_token: this.#resumeToken });
    if (!session.restored) this.#forgotten = true;
    // Hanging up may have come between.
    if (this.#stage === "closed") throw new VoicePeerError("client_left");
    this.#link?.close();
    this.#rtc = { iceServers: session.ice_servers as unknown as RTCIceServer[], ...this.#options.rtc };
    const link = new Link({
      rtc: this.#rtc,
      microphone: this.#options.microphone(),
      send: (signal) => void this.signal(signal),
      listener: {
        track: (track) => this.emit("track", track),
        message: (message) => this.emit("message", message),
        broken: () => this.emit("broken", undefined),
        flows: (flowing) => this.#happen(flowing ? "media_flows" : "media_stopped"),
        lost: (reason) => this.#lose(reason),
      },
    });
    this.#link = link;
    const ready = await link.connect();
    return { restored: !this.#forgotten, ready };
  }

  async #join(fields: Partial<Signaling.Join>): Promise<Signaling.Joined> {
    const { room, name } = this.#options;
    const token = await this.#options.token();
    const join: Signaling.Join = { type: "join", room, name, token, client_id: this.#clientId, ...fields };
    const [socket, joined] = await SignalSocket.join(this.#options.url, join, {
      signal: (signal) => this.#heard(signal),
      gone: () => this.#socketGone(),
    }, this.#options.redirects).catch((error: unknown) => { throw this.#options.refusal(asVoicePeerError(error)); });
    if (this.#stage === "closed") {
      socket.leave();
      throw new VoicePeerError("client_left");
    }
    this.#socket?.drop();
    this.#socket = socket;
    this.#service = socket.service;
    this.#sessionId = joined.session_id;
    this.#resumeToken = joined.resume_token ?? null;
    if (this.#resumeToken) this.emit("resumption", { token: this.#resumeToken, clientId: this.#clientId });
    return joined;
  }

  #heard(signal: Signaling.FromServer): void {
    if ("connection" in signal && signal.connection === "room") return this.emit("ears", signal);
    this.#link?.signal(signal);
    const established = this.#stage === "connected" || this.#stage === "shaky";
    if (signal.type === "error" && established) {
      this.emit("refused", new VoicePeerError(signal.code, { detail: signal.message }));
    }
    if (signal.type !== "bye" || this.#stage === "connecting") return;
    if (isReturnable(signal.reason)) this.#lose(signal.reason);
    else this.#end(signal.reason);
  }

  // --- again --------------------------------------------------------------------------------

  #socketGone(): void {
    this.#socket = null;
    this.#link?.fail(new VoicePeerError("connection_lost"));
    if (this.#stage === "connected" || this.#stage === "shaky") void this.#resumeSignaling();
  }

  /** Media flows without the socket; win it back before the service's grace is over. */
  async #resumeSignaling(): Promise<void> {
    const backoff = new Backoff(performance.now(), RESUME_WITHIN_MS);
    const late = setTimeout(() => this.#happen("unreachable"), GONE_AFTER_MS);
    for (let delay = backoff.next(performance.now()); delay !== null; delay = backoff.next(performance.now())) {
      await sleep(delay);
      if (this.#socket !== null || !["connected", "shaky"].includes(this.#stage)) return clearTimeout(late);
      try {
        const joined = await this.#join({ resume: true, resume_token: this.#resumeToken });
        clearTimeout(late);
        return this.#resumed(joined);
      } catch (error) {
        if (!isWorthAnotherTry(error)) break;
        this.#happen("unreachable");
      }
    }
    clearTimeout(late);
    this.#lose("signaling_lost");
  }

  #resumed(joined: Signaling.Joined): void {
    if (!joined.resumed) this.#lose("signaling_lost", joined);
    else if (this.pc?.connectionState === "connected") this.#happen("media_flows");
  }

  /** The connection is gone: make a new one on which the session goes on, or end. */
  #lose(reason: string, joined?: Signaling.Joined): void {
    if (this.#stage !== "connected" && this.#stage !== "shaky") return;
    const short = performance.now() - this.#connectedAt < STABLE_AFTER_MS;
    this.#shortLives = short ? this.#shortLives + 1 : 0;
    if (this.#shortLives > MAX_SHORT_LIVES) this.#end(reason);
    else {
      this.#happen("lost");
      this.emit("lost", undefined);
      void this.#rejoin(reason, joined);
    }
  }

  async #rejoin(reason: string, joined?: Signaling.Joined): Promise<void> {
    this.#forgotten = false;
    if (joined !== undefined && await this.#cameBack(joined) !== "again") return;
    const backoff = new Backoff(performance.now(), COME_BACK_WITHIN_MS);
    for (let delay = backoff.next(performance.now()); delay !== null; delay = backoff.next(performance.now())) {
      // The socket is listened to meanwhile: the service may say that the end was meant.
      await sleep(delay);
      this.#drop();
      if (this.#stage !== "rejoining" || await this.#cameBack() !== "again") return;
    }
    this.#end(reason);
  }

  /** One attempt. */
  async #cameBack(joined?: Signaling.Joined): Promise<"done" | "over" | "again"> {
    try {
      const reconnected = await this.#connect(joined);
      this.#established();
      this.emit("reconnected", reconnected);
      this.#sendWaiting();
      return "done";
    } catch (error) {
      if (isWorthAnotherTry(error)) return "again";
      const { code, detail } = asVoicePeerError(error);
      this.#end(code, detail);
      return "over";
    }
  }

  #sendWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const text of waiting) this.#link?.send(text);
  }

  // --- over ---------------------------------------------------------------------------------

  #established(): void {
    this.#connectedAt = performance.now();
    this.#happen("established");
  }

  /** Let go of what is left of a connection; the session is kept for us. */
  #drop(): void {
    this.#link?.close();
    this.#socket?.drop();
    this.#link = this.#socket = null;
  }

  #end(reason: string, detail = ""): void {
    if (this.#stage === "closed") return;
    const began = this.#stage !== "connecting" && this.#stage !== "idle";
    this.#free("ended");
    if (began) this.emit("ended", new VoicePeerError(reason, { detail }));
  }

  #free(happening: Happening): void {
    this.#waiting = [];
    this.#drop();
    this.#happen(happening);
  }

  #happen(happening: Happening): void {
    const before = this.state;
    this.#stage = next(this.#stage, happening);
    if (this.state !== before) this.emit("state", this.state);
  }
}

function isWorthAnotherTry(error: unknown): boolean {
  return WORTH_ANOTHER_TRY.has(asVoicePeerError(error).code);
}
