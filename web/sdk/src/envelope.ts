/** The envelope of RTVI around every message on the data channel (docs/wire.md). */

import { asFields, type Fields, judgeMessage, parseFields } from "./shapes.js";
import { type Channel, RTVI_LABEL } from "./wire.js";

/** Fields by name of everything that can be sent. */
export type Outgoing = Channel.FromClient & Channel.Requests;
/** Fields by name of everything that can come. */
export type Incoming = Channel.FromServer & Channel.Events;

/** A message out of its envelope, with the fields that its name promises. An `answer` belongs to the request with the same `id`. */
export interface Opened {
  kind: "event" | "answer" | "refusal";
  name: string;
  id: string;
  fields: Fields;
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

/**
 * Take a message out of its envelope. `null` for what is none, and for what this client does not know:
 * newer services may say more. `"broken"` for a message that does not have the fields it should have.
 */
export function open(text: unknown): Opened | "broken" | null {
  const message = parseFields(text);
  if (message === null || message["label"] !== RTVI_LABEL) return null;
  const { type, id } = message;
  const data = asFields(message["data"] ?? {});
  if (typeof type !== "string" || data === null) return "broken";
  const kind = KINDS[type] ?? "event";
  const wrapped = type === "server-message" || kind === "answer";
  const name = wrapped ? data["t"] : type;
  const fields = wrapped ? asFields(data["d"] ?? {}) : data;
  if (typeof name !== "string" || fields === null) return "broken";
  const opened: Opened = { kind, name, id: typeof id === "string" ? id : "", fields };
  if (kind === "answer") return opened; // Its asker knows what it should have.
  const verdict = judgeMessage(name, fields);
  return verdict === "fits" ? opened : verdict === "unknown" ? null : "broken";
}
