/** The browser's sound: one audio context and what may keep it from running. */

import type { Notify } from "./notices.js";

const GESTURES = ["pointerdown", "keydown", "touchend"] as const;

type Context = typeof AudioContext;

/** Plays, and tells when it may not. */
export class Sound {
  /** `null` where the browser has no Web Audio. */
  readonly context: AudioContext | null;
  readonly #notify: Notify;
  readonly #listening = new AbortController();
  #players: HTMLMediaElement[] = [];
  #output: string | null = null;
  #told = false;
  #started = false;

  /** Make it in a click or key press where there is one: then nothing is blocked. */
  constructor(notify: Notify) {
    this.#notify = notify;
    this.context = newContext();
    const { signal } = this.#listening;
    this.context?.addEventListener("statechange", () => this.#check(), { signal });
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && this.#started) void this.resume();
    }, { signal });
    for (const gesture of GESTURES) {
      document.addEventListener(gesture, () => { if (this.#told) void this.resume(); }, { signal, capture: true });
    }
  }

  /** Play an element's sound; from now on it matters whether that is allowed. */
  async play(player: HTMLMediaElement): Promise<void> {
    this.#players = [...this.#players.filter((one) => one !== player), player];
    this.#started = true;
    if (this.#output !== null) playThrough(player, this.#output);
    await this.resume();
  }

  /** Do not play it any more. */
  stop(player: HTMLMediaElement): void {
    this.#players = this.#players.filter((one) => one !== player);
    player.srcObject = null;
  }

  /** Play everything else through the output that `leader` has taken, also what comes later. */
  follow(leader: HTMLMediaElement, deviceId: string): void {
    this.#output = deviceId;
    for (const player of this.#players) if (player !== leader) playThrough(player, deviceId);
  }

  /** Try to play; by a click or key press on the page this happens by itself. Whether there is sound. */
  async resume(): Promise<boolean> {
    // Without a gesture this stays pending until there is one.
    void this.context?.resume().catch(() => undefined);
    const outcomes = await Promise.allSettled(this.#players.map((player) => player.play()));
    const refused = outcomes.some((one) => one.status === "rejected" && one.reason?.name === "NotAllowedError");
    return this.#check(refused);
  }

  /** Stop; the page may make another one. */
  close(): void {
    this.#listening.abort();
    for (const player of this.#players) player.srcObject = null;
    this.#players = [];
    void this.context?.close().catch(() => undefined);
  }

  #check(refused = false): boolean {
    const state = (this.context?.state ?? "running") as AudioContextState | "interrupted";
    const silent = refused || state === "suspended" || state === "interrupted";
    if (!this.#started || silent === this.#told) return !silent;
    this.#told = silent;
    // Safari calls it interrupted when a phone call or Siri has taken the sound.
    this.#notify(!silent ? "audio.resumed" : state === "interrupted" ? "audio.interrupted" : "audio.blocked");
    return !silent;
  }
}

function playThrough(player: HTMLMediaElement, deviceId: string): void {
  void player.setSinkId(deviceId).catch(() => undefined);
}

function newContext(): AudioContext | null {
  const scope = globalThis as { AudioContext?: Context; webkitAudioContext?: Context };
  const Context = scope.AudioContext ?? scope.webkitAudioContext; // Safari before 14.1
  // At the device's own rate: Firefox joins no tracks and contexts of different rates.
  return Context ? new Context({ latencyHint: "interactive" }) : null;
}
