/** All texts of a call: sent, followed by ear, and ended. */

import { sleep } from "./deferred.js";
import type { Outgoing } from "./envelope.js";
import { VoicePeerError } from "./errors.js";
import { randomId } from "./ids.js";
import { DELIVERY_KINDS, isStream, needFields, needString, needText } from "./misuse.js";
import { HearingDelay, isQuiet, onset } from "./onset.js";
import { CodePoints, isShort, pieces } from "./pieces.js";
import { TextFeed } from "./text_feed.js";
import {
  type Audible, type Controls, type Delivery, type SpokenWord, Utterance, type UtteranceEnd, type UtterancePort,
  wireFields,
} from "./utterance.js";
import type { Channel } from "./wire.js";

/** What speaking needs of its call. */
export interface SpeakingPort {
  send<Name extends keyof Outgoing>(name: Name, fields: Outgoing[Name]): void;
  bufferedBytes(): number;
  set(utteranceId: string, controls: Controls): Promise<void>;
  /** The last of what is heard; `null` where nothing can be measured. */
  samples(): { samples: Float32Array; rateHz: number } | null;
  audible(utterance: Utterance, audible: Audible): void;
  word(utterance: Utterance, word: SpokenWord): void;
  finished(utterance: Utterance, end: UtteranceEnd): void;
}

/** Unsent bytes at which a stream of text waits for the network. */
const MAX_BUFFERED_BYTES = 256_000;
const LOOK_EVERY_MS = 40;
/** The sound of a text follows the service's word of it within this, or is not told from others. */
const MEASURED_WITHIN_MS = 800;

/** What is known of one utterance besides its handle. */
interface Entry {
  utterance: Utterance;
  delivery: Delivery;
  opened: boolean;
  /** Whether the service may have forgotten it. */
  doubtful: boolean;
  offsets: CodePoints;
  /** Whether the next sound can only be this utterance's. */
  alone: boolean;
  /** Whether it was quiet at some time since the text was sent. */
  quiet: boolean;
  /** When its first sound was heard, and when the service told that it had sent it. */
  heardAt: number | null;
  toldAt: number | null;
  serviceMs: number | null;
  audible: boolean;
}

/** One per call. */
export class Speaking {
  readonly #port: SpeakingPort;
  readonly #entries = new Map<string, Entry>();
  readonly #delay = new HearingDelay();
  #serial = 0;
  #lastDue = 0;
  #looking: ReturnType<typeof setInterval> | undefined;

  constructor(port: SpeakingPort) {
    this.#port = port;
  }

  /** All that are not over, in the order in which they were asked for. */
  get utterances(): Utterance[] {
    return [...this.#entries.values()].map(({ utterance }) => utterance);
  }

  /** Say a text that is known, or one that is still being written. Throws `not_connected` and `misuse`. */
  speak(text: string | AsyncIterable<string>, delivery: Delivery): Utterance {
    needFields("speak", delivery, DELIVERY_KINDS);
    if (isStream(text)) return this.#stream(text, delivery);
    needText("speak", text);
    const entry = this.#enter(delivery, text);
    const { id } = entry.utterance;
    if (isShort(text)) {
      entry.opened = true;
      this.#guard(entry, () => this.#port.send("utterance.speak", { ...wireFields(delivery), utterance_id: id, text }));
    } else {
      this.#guard(entry, () => {
        this.#append(entry, text);
        this.#port.send("utterance.end", { utterance_id: id });
      });
    }
    return entry.utterance;
  }

  /** An utterance to `append` to; it exists for the service with its first text. */
  open(delivery: Delivery): Utterance {
    needFields("open", delivery, DELIVERY_KINDS);
    return this.#enter(delivery, "").utterance;
  }

  /** The connection is lost, and the service may have forgotten what it was told on it. */
  interrupted(): void {
    for (const entry of this.#entries.values()) entry.doubtful = entry.opened;
  }

  /** The connection is back, and of what the service was told this goes on. */
  restored(ids: readonly string[]): void {
    for (const [id, entry] of this.#entries) {
      if (entry.doubtful && !ids.includes(id)) this.#end(id, { how: "lost", error: new VoicePeerError("connection_lost") });
      entry.doubtful = false;
    }
    for (const id of ids) {
      if (!this.#entries.has(id)) this.#enter({}, "", id).opened = true;
    }
  }

  /** The call is over, and everything that it had to say with it. */
  close(error: VoicePeerError): void {
    for (const id of [...this.#entries.keys()]) this.#end(id, { how: "lost", error });
  }

  /** An error of the service about an utterance; whether it was one of these. */
  refused(id: string, error: VoicePeerError): boolean {
    if (!this.#entries.has(id)) return false;
    this.#end(id, { how: "failed", error });
    return true;
  }

  // --- what the service tells ---------------------------------------------------------------

  started({ utterance_id: id, latency_ms: serviceMs }: Channel.Started): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.serviceMs = serviceMs;
    entry.toldAt = performance.now();
    if (entry.heardAt !== null) this.#audible(entry);
    else setTimeout(() => this.#audible(entry), entry.alone ? MEASURED_WITHIN_MS : this.#delay.ms);
  }

  word(told: Channel.Word): void {
    const entry = this.#entries.get(told.utterance_id);
    if (entry === undefined) return;
    const { text } = entry.utterance;
    const start = entry.offsets.unitOf(text, told.char_start);
    const end = entry.offsets.unitOf(text, told.char_end);
    const word: SpokenWord = { text: told.text, start, end, startMs: told.start_ms, endMs: told.end_ms };
    this.#whenHeard(() => {
      if (entry.utterance.isOver) return;
      entry.utterance.spoke(word);
      this.#port.word(entry.utterance, word);
    });
  }

  done({ utterance_id: id, audio_ms: playedMs, underruns }: Channel.Done): void {
    this.#whenHeard(() => this.#end(id, { how: "done", playedMs, underruns }));
  }

  cancelled({ utterance_id: id, played_ms: playedMs }: Channel.Cancelled): void {
    this.#end(id, { how: "cancelled", playedMs });
  }

  failed({ utterance_id: id, code, message, played_ms: playedMs }: Channel.Failed): void {
    this.#end(id, { how: "failed", playedMs, error: new VoicePeerError(code, { detail: message, utteranceId: id }) });
  }

  // --- in -----------------------------------------------------------------------------------

  #enter(delivery: Delivery, text: string, id = this.#newId()): Entry {
    const utterance = new Utterance(id, text, this.#utterancePort(), performance.now());
    const heard = this.#port.samples();
    const entry: Entry = {
      utterance, delivery, opened: false, doubtful: false, offsets: new CodePoints(),
      alone: heard !== null && this.#entries.size === 0,
      quiet: heard !== null && isQuiet(heard.samples, heard.rateHz),
      heardAt: null, toldAt: null, serviceMs: null, audible: false,
    };
    this.#entries.set(id, entry);
    if (entry.alone) this.#lookFor(entry);
    return entry;
  }

  #newId(): string {
    this.#serial += 1;
    return `u${this.#serial}-${randomId().slice(0, 8)}`;
  }

  #utterancePort(): UtterancePort {
    return {
      append: (utterance, text) => {
        const entry = this.#entries.get(utterance.id);
        if (entry !== undefined) this.#append(entry, text);
      },
      flush: (id) => {
        if (this.#entries.get(id)?.opened) this.#port.send("utterance.flush", { utterance_id: id });
      },
      end: (id) => this.#noMore(id),
      cancel: (id) => {
        if (this.#entries.get(id)?.opened) this.#port.send("utterance.cancel", { utterance_id: id });
        else this.#end(id, { how: "cancelled" });
      },
      set: (id, controls) => this.#port.set(id, controls),
    };
  }

  #append(entry: Entry, text: string): void {
    for (const piece of pieces(text)) {
      const delivery = entry.opened ? {} : wireFields(entry.delivery);
      this.#port.send("utterance.append", { ...delivery, utterance_id: entry.utterance.id, text: piece });
      entry.opened = true;
    }
  }

  #noMore(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    if (entry.opened) this.#port.send("utterance.end", { utterance_id: id });
    else this.#end(id, { how: "done" });
  }

  #guard(entry: Entry, send: () => void): void {
    try {
      send();
    } catch (error) {
      this.#end(entry.utterance.id, { how: "failed", error: error as VoicePeerError });
      throw error;
    }
  }

  #stream(source: AsyncIterable<string>, delivery: Delivery): Utterance {
    const utterance = this.open(delivery);
    void this.#pump(utterance, source);
    return utterance;
  }

  async #pump(utterance: Utterance, source: AsyncIterable<string>): Promise<void> {
    const feed = new TextFeed((text) => { if (!utterance.isOver) utterance.append(text); });
    try {
      for await (const delta of source) {
        needString("speak", delta, "what the stream gives");
        while (this.#port.bufferedBytes() > MAX_BUFFERED_BYTES && !utterance.isOver) await sleep(LOOK_EVERY_MS);
        if (utterance.isOver) break;
        feed.push(delta);
      }
      feed.flush();
      utterance.end();
    } catch (cause) {
      const error = cause instanceof VoicePeerError ? cause : new VoicePeerError("text_stream_failed", { cause });
      this.#end(utterance.id, { how: "failed", error }, () => utterance.cancel());
    }
  }

  // --- by ear -------------------------------------------------------------------------------

  /** Later by as much as sound is later than messages; what was told first happens first. */
  #whenHeard(act: () => void): void {
    const now = performance.now();
    this.#lastDue = Math.max(this.#lastDue, now + this.#delay.ms);
    setTimeout(act, this.#lastDue - now);
  }

  #lookFor(entry: Entry): void {
    clearInterval(this.#looking);
    this.#looking = setInterval(() => {
      const heard = this.#port.samples();
      if (heard === null) return;
      const { samples, rateHz } = heard;
      const at = onset(samples, rateHz, entry.quiet);
      entry.quiet ||= isQuiet(samples, rateHz);
      const heardAt = performance.now() - (1000 * (samples.length - at)) / rateHz;
      if (at < 0 || heardAt < entry.utterance.sentAt) return;
      entry.heardAt = heardAt;
      this.#stopLooking(entry);
      if (entry.toldAt !== null) this.#audible(entry);
    }, LOOK_EVERY_MS);
  }

  #stopLooking(entry: Entry): void {
    if (entry.alone) clearInterval(this.#looking);
    entry.alone = false;
  }

  /** The service has told of its sound; that was heard, or nothing could be made out. */
  #audible(entry: Entry): void {
    const { utterance, toldAt, heardAt } = entry;
    if (entry.audible || utterance.isOver || toldAt === null) return;
    entry.audible = true;
    this.#stopLooking(entry);
    const measured = heardAt !== null;
    if (measured) this.#delay.measured(toldAt, heardAt);
    const latencyMs = (heardAt ?? toldAt + this.#delay.ms) - utterance.sentAt;
    const audible = { latencyMs, serviceMs: entry.serviceMs, measured };
    utterance.becameAudible(audible);
    this.#port.audible(utterance, audible);
  }

  #end(id: string, end: Partial<UtteranceEnd> & Pick<UtteranceEnd, "how">, before?: () => void): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    try {
      before?.();
    } catch {
      // There is no connection any more to say it on.
    }
    this.#entries.delete(id);
    this.#stopLooking(entry);
    const { utterance } = entry;
    utterance.ended(end);
    void utterance.finished.then((whole) => this.#port.finished(utterance, whole));
  }
}
