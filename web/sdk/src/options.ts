/** Where to call, and how. */

import type { Resumption } from "./connection.js";
import type { Language } from "./texts.js";

/** A key, or what fetches one when it is needed, within 30 s: tokens of short life are asked for again. */
export type TokenSource = string | (() => string | null | Promise<string | null>);

/** Where to call, and how. */
export interface VoicePeerOptions {
  /** Of the service, with or without a slash at its end; by default the page's own address. */
  url?: string | URL;
  /** Where the service asks for a key. Give pages short-lived ones (docs/auth.md). */
  token?: TokenSource;
  room?: string;
  /** What others call the caller. */
  name?: string;
  /** `true` is the system's choice, a string a device's id, `false` a call that only listens. */
  microphone?: boolean | string | MediaStreamTrack;
  /** Play the voice here, too; turn that off where it goes into a conference. On by default. */
  audible?: boolean;
  /** What plays it, where the application wants to have it in its page. */
  player?: HTMLAudioElement;
  /** Go on with an earlier call, of an earlier page or before a reload. */
  resume?: Resumption;
  /** Of what people are told, on the whole page (`setLanguage`); the browser's by default. */
  language?: Language;
  /**
   * Whether to go to another service of the same operator where that has the room. On by default; without,
   * `connect` rejects with `room_elsewhere`, whose `detail` is that service's address.
   */
  follow?: boolean;
  /** In place of the ICE servers that the service names, and more. */
  rtc?: RTCConfiguration;
}
