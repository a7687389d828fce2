/** Checks messages by the shapes that the wire schema gives. Pure. */

import { MESSAGE_SHAPES, SIGNAL_SHAPES, type Shapes } from "./wire.js";

/** An object out of JSON. */
export type Fields = Record<string, unknown>;

/** Types of fields, as the wire schema writes them. */
export type Shape = Shapes[string];

/** `unknown` is none that this client knows: a newer service may have more. `broken` has other fields. */
export type Verdict = "fits" | "unknown" | "broken";

/** Judge a message on the data channel. */
export function judgeMessage(name: string, fields: Fields): Verdict {
  return judge(MESSAGE_SHAPES, name, fields);
}

/** Judge a message on the WebSocket. */
export function judgeSignal(type: string, fields: Fields): Verdict {
  return judge(SIGNAL_SHAPES, type, fields);
}

function judge(shapes: Shapes, name: string, fields: Fields): Verdict {
  const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined;
  if (shape === undefined) return "unknown";
  return fits(shape, fields) ? "fits" : "broken";
}

/** Whether an object has the fields of a shape; others do not matter. */
export function fits(shape: Shape, fields: Fields): boolean {
  return Object.entries(shape).every(([field, type]) => isOf(type, fields, field));
}

/** Whether a field is of a type such as `string|null?`. */
function isOf(type: string, fields: Fields, field: string): boolean {
  const optional = type.endsWith("?");
  if (!Object.hasOwn(fields, field)) return optional;
  return (optional ? type.slice(0, -1) : type).split("|").some((one) => isOne(one, fields[field]));
}

function isOne(type: string, value: unknown): boolean {
  if (type.endsWith("[]")) return Array.isArray(value) && value.every((item) => isOne(type.slice(0, -2), item));
  switch (type) {
    case "null": return value === null;
    case "object": return asFields(value) !== null;
    case "number": return typeof value === "number" && Number.isFinite(value);
    default: return typeof value === type;
  }
}

/** A value as an object that is no list, or `null`. */
export function asFields(value: unknown): Fields | null {
  const plain = typeof value === "object" && value !== null && !Array.isArray(value);
  return plain ? value as Fields : null;
}

/** The object that a JSON text stands for, or `null`. */
export function parseFields(text: unknown): Fields | null {
  if (typeof text !== "string") return null;
  try {
    return asFields(JSON.parse(text));
  } catch {
    return null;
  }
}
