/** The WebSocket on which a call is set up (docs/wire.md, "Signaling"). */

import { elsewhere, socketUrl } from "./address.js";
import { withTimeout } from "./deferred.js";
import { VoicePeerError } from "./errors.js";
import { judgeSignal, parseFields } from "./shapes.js";
import type { Signaling } from "./wire.js";

const JOIN_TIMEOUT_MS = 10_000;
const PING_EVERY_MS = 15_000;
/** A close of ours after which the service keeps the session for whoever resumes it. */
const COMING_BACK = 3000;

/** What a socket tells; set before anything can come. */
export interface SignalListener {
  signal(signal: Signaling.FromServer): void;
  /** It is closed, by whichever side. */
  gone(): void;
}

/** One socket: joined once, then used for signals either way. */
export class SignalSocket {
  /** Which one it leads to, after redirects. */
  readonly service: URL;
  readonly #socket: WebSocket;
  readonly #listener: SignalListener;
  #pinging: ReturnType<typeof setInterval> | undefined;
  #dropped = false;

  private constructor(socket: WebSocket, service: URL, listener: SignalListener) {
    this.#socket = socket;
    this.service = service;
    this.#listener = listener;
    socket.addEventListener("close", () => this.#closed());
  }

  /**
   * Open a socket and join, at another service where this one says that it has the room.
   *
   * Rejects with a `VoicePeerError`: `unreachable`, the code with which the service refuses, or
   * `room_elsewhere` after so many `redirects`; its `detail` is the other service's address.
   */
  static async join(
    service: URL, join: Signaling.Join, listener: SignalListener, redirects: number,
  ): Promise<[SignalSocket, Signaling.Joined]> {
    const socket = new WebSocket(socketUrl(service));
    const unreachable = () => new VoicePeerError("unreachable");
    try {
      const answer = await withTimeout(answeredOn(socket, join), JOIN_TIMEOUT_MS, unreachable);
      if (answer.type === "joined") return [new SignalSocket(socket, service, listener).#begin(), answer];
      const other = elsewhere(service, answer.url);
      if (redirects === 0 || other === null) throw new VoicePeerError("room_elsewhere", { detail: answer.url });
      socket.close();
      return await SignalSocket.join(other, join, listener, redirects - 1);
    } catch (error) {
      socket.close();
      throw error;
    }
  }

  /** Send, unless the socket is closed; whether it was not. */
  send(signal: Signaling.FromClient): boolean {
    const isOpen = this.#socket.readyState === WebSocket.OPEN;
    if (isOpen) this.#socket.send(JSON.stringify(signal));
    return isOpen;
  }

  /** End the session. */
  leave(): void {
    this.send({ type: "leave" });
    this.#close(1000);
  }

  /** Close without ending the session; the listener hears no more. */
  drop(): void {
    this.#close(COMING_BACK);
  }

  #close(code: number): void {
    if (this.#dropped) return;
    this.#dropped = true;
    clearInterval(this.#pinging);
    this.#socket.close(code);
  }

  #begin(): this {
    this.#pinging = setInterval(() => this.send({ type: "ping" }), PING_EVERY_MS);
    this.#socket.addEventListener("message", ({ data }) => {
      const signal = readSignal(data);
      if (signal !== null && !this.#dropped) this.#listener.signal(signal);
    });
    return this;
  }

  #closed(): void {
    clearInterval(this.#pinging);
    if (!this.#dropped) this.#listener.gone();
  }
}

/** A message of the service, or `null` for anything else. */
export function readSignal(data: unknown): Signaling.FromServer | null {
  const signal = parseFields(data);
  const type = signal?.["type"];
  if (signal === null || typeof type !== "string" || judgeSignal(type, signal) !== "fits") return null;
  return signal as unknown as Signaling.FromServer;
}

function answeredOn(socket: WebSocket, join: Signaling.Join): Promise<Signaling.Joined | Signaling.Redirect> {
  return new Promise((resolve, reject) => {
    socket.addEventListener("open", () => socket.send(JSON.stringify(join)), { once: true });
    for (const event of ["error", "close"]) {
      socket.addEventListener(event, () => reject(new VoicePeerError("unreachable")), { once: true });
    }
    socket.addEventListener("message", ({ data }) => {
      const signal = readSignal(data);
      if (signal?.type === "joined" || signal?.type === "redirect") resolve(signal);
      else if (signal?.type === "error") reject(new VoicePeerError(signal.code, { detail: signal.message }));
      else if (signal?.type === "bye") reject(new VoicePeerError(signal.reason));
      else reject(new VoicePeerError("unreachable"));
    }, { once: true });
  });
}
