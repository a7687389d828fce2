/** Voices that outlive a call: listed, named, carried away, deleted. */

import { VoicePeerError } from "./errors.js";
import { jsonBody, type ServiceHttp } from "./http.js";
import { misuse, named, needTable, needText } from "./misuse.js";
import { type Fields, fits, type Shape } from "./shapes.js";

const VOICE_FILE = "application/octet-stream";
const PAGE = 100;
const ID = "the id";
const NAME = "the name";

/** A voice that can be spoken with. */
export interface VoiceInfo {
  id: string;
  name: string;
  /** `stock` voices come with the engine and are everybody's. */
  kind: "own" | "stock";
  createdAt: Date;
  consentId: string | null;
  /** Of the recording it was learned from, 0 to 1. */
  quality: number | null;
  expiresAt: Date | null;
}

/** The voice that a call speaks with, or has saved. */
export interface ChosenVoice {
  voiceId: string;
  name: string;
}

/** What voices ask of a call. */
export interface VoicesPort {
  use(voiceId: string): Promise<ChosenVoice>;
  mix(weights: Record<string, number>): Promise<ChosenVoice>;
  save(name: string): Promise<ChosenVoice>;
}

/** The voices of whoever has the token. All reject with a `VoicePeerError`. */
export class Voices {
  readonly #http: ServiceHttp;
  readonly #port: VoicesPort;

  constructor(http: ServiceHttp, port: VoicesPort) {
    this.#http = http;
    this.#port = port;
  }

  /** Own voices, the newest first, then those of the engine. */
  async list(): Promise<VoiceInfo[]> {
    const voices: VoiceInfo[] = [];
    for (let after = ""; ;) {
      const query = `limit=${PAGE}${after && `&after=${encodeURIComponent(after)}`}`;
      const page = await this.#http.json("GET", `v1/audio/voices?${query}`, PAGE_OF_VOICES);
      voices.push(...(page["data"] as Fields[]).map(voiceInfo));
      if (!page["has_more"]) return voices;
      after = String(page["last_id"]);
    }
  }

  /** Speak with a voice from the next utterance on. */
  async use(voiceId: string): Promise<ChosenVoice> {
    needText("voices.use", voiceId, ID);
    return this.#port.use(voiceId);
  }

  /** Speak with a mix: weights over 0 by id. */
  async mix(weights: Record<string, number>): Promise<ChosenVoice> {
    needTable("voices.mix", weights, "number", "weights");
    return this.#port.mix(weights);
  }

  /** Keep the voice of this call after the call. */
  async save(name: string): Promise<ChosenVoice> {
    needText("voices.save", name, NAME);
    return this.#port.save(name);
  }

  /** Give a voice another name. */
  async rename(voiceId: string, name: string): Promise<VoiceInfo> {
    needText("voices.rename", name, NAME);
    return voiceInfo(await this.#http.json("POST", voicePath(voiceId), VOICE, jsonBody({ name })));
  }

  /** The voice with its consent, as a file. Keep it like a secret. */
  async export(voiceId: string): Promise<Blob> {
    return (await this.#http.request("GET", `${voicePath(voiceId)}/export`)).blob();
  }

  /** Take in a file that was exported; the voice has a new id, and another name where its own is taken. */
  async import(file: Blob): Promise<VoiceInfo> {
    if (typeof (file as Partial<Blob> | null)?.arrayBuffer !== "function") throw misuse("voices.import", `the file is a Blob, not ${named(file)}`);
    const init = { body: file, headers: { "Content-Type": VOICE_FILE } };
    return voiceInfo(await this.#http.json("POST", "v1/audio/voices/import", VOICE, init));
  }

  /** Delete a voice, at once and everywhere: calls that speak with it fall silent. */
  async delete(voiceId: string): Promise<void> {
    await this.#http.request("DELETE", voicePath(voiceId));
  }

  /** Withdraw a consent: all voices that were made under it are deleted with it; their ids. */
  async withdraw(consentId: string): Promise<string[]> {
    needText("voices.withdraw", consentId, ID);
    const path = `v1/audio/voice_consents/${encodeURIComponent(consentId)}`;
    const gone = await this.#http.json("DELETE", path, WITHDRAWN);
    return (gone["voices_deleted"] ?? []) as string[];
  }
}

const VOICE: Shape = {
  id: "string", created_at: "number", name: "string", type: "string", consent: "string|null?", quality: "number|null?",
  expires_at: "number|null?",
};
const PAGE_OF_VOICES: Shape = { data: "object[]", has_more: "boolean", last_id: "string|null?" };
const WITHDRAWN: Shape = { voices_deleted: "string[]?" };

/** `VOICE` for the compiler. */
interface WireVoice {
  id: string;
  created_at: number;
  name: string;
  type: string;
  consent?: string | null;
  quality?: number | null;
  expires_at?: number | null;
}

/** Throws `misuse` for what is no id: the path would be that of something else. */
function voicePath(voiceId: string): string {
  needText("voices", voiceId, ID);
  return `v1/audio/voices/${encodeURIComponent(voiceId)}`;
}

function voiceInfo(fields: Fields): VoiceInfo {
  if (!fits(VOICE, fields)) throw new VoicePeerError("bad_answer");
  const voice = fields as unknown as WireVoice;
  return {
    id: voice.id,
    name: voice.name,
    kind: voice.type === "stock" ? "stock" : "own",
    createdAt: new Date(voice.created_at * 1000),
    consentId: voice.consent ?? null,
    quality: voice.quality ?? null,
    expiresAt: voice.expires_at == null ? null : new Date(voice.expires_at * 1000),
  };
}
