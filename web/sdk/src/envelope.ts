/** The envelope of RTVI around every message on the data channel (docs/wire.md). */

import { type Channel, RTVI_LABEL } from "./wire.js";

/** Fields by name of everything that can be sent. */
export type Outgoing = Channel.FromClient & Channel.Requests;
/** Fields by name of everything that can come. */
export type Incoming = Channel.FromServer & Channel.Events;

/** A message out of its envelope. An `answer` belongs to the request with the same `id`. */
export interface Opened {
  kind: "event" | "answer" | "refusal";
  name: string;
  id: string;
  fields: Record<string, unknown>;
}

const NATIVE: ReadonlySet<string> = new Set<keyof Channel.FromClient>(
  ["client-ready", "send-text", "disconnect-bot"]);
const KINDS: Readonly<Record<string, Opened["kind"]>> = {
  "server-response": "answer",
  "error-response": "refusal",
};

/** JSON text of a message; a `client-message` with an id is answered under it. */
export function seal<Name extends keyof Outgoing>(name: Name, fields: Outgoing[Name], id = ""): string {
  const native = NATIVE.has(name);
  return JSON.stringify({
    label: RTVI_LABEL,
    type: native ? name : "client-message",
    id,
    data: native ? fields : { t: name, d: fields },
  });
}

/** Take a message out of its envelope; `null` for anything that is none. */
export function open(text: unknown): Opened | null {
  const message = parseObject(text);
  if (message === null || message["label"] !== RTVI_LABEL) return null;
  const { type, id } = message;
  if (typeof type !== "string") return null;
  const data = asObject(message["data"] ?? {});
  if (data === null) return null;
  const kind = KINDS[type] ?? "event";
  const wrapped = type === "server-message" || kind === "answer";
  const name = wrapped ? data["t"] : type;
  const fields = wrapped ? asObject(data["d"] ?? {}) : data;
  if (typeof name !== "string" || fields === null) return null;
  return { kind, name, id: typeof id === "string" ? id : "", fields };
}

/** The object that a JSON text stands for, or `null`. */
export function parseObject(text: unknown): Record<string, unknown> | null {
  if (typeof text !== "string") return null;
  try {
    return asObject(JSON.parse(text));
  } catch {
    return null;
  }
}

function asObject(value: unknown): Record<string, unknown> | null {
  const plain = typeof value === "object" && value !== null && !Array.isArray(value);
  return plain ? value as Record<string, unknown> : null;
}
