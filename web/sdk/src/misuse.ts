/** Tells applications what they ask for wrongly, before anything of it is sent. Pure. */

import { VoicePeerError } from "./errors.js";
import { asFields, type Fields } from "./shapes.js";

/** What a field can be. */
type Kind = "string" | "number" | "integer" | "boolean";
/** Kinds of the fields that an object may have. */
export type Kinds = Readonly<Record<string, Kind>>;

/** Settings that can change while a text is said. */
export const CONTROL_KINDS = {
  speed: "number", pitchSemitones: "number", energy: "number", volume: "number", pauses: "number",
  emotion: "string", emotionStrength: "number",
} as const satisfies Kinds;

/** All settings of a text. */
export const DELIVERY_KINDS = {
  ...CONTROL_KINDS, language: "string", voiceId: "string", priority: "integer", ssml: "boolean", visemes: "boolean",
  captions: "boolean", interrupt: "boolean",
} as const satisfies Kinds;

const CONSENT_KINDS = {
  consent: "string", consentVersion: "integer", consentId: "string", name: "string",
} as const satisfies Kinds;

/** An error of the application's code: `where` is the method, `what` is wrong with what it was given. */
export function misuse(where: string, what: string): VoicePeerError {
  return new VoicePeerError("misuse", { detail: `${where}: ${what}` });
}

/** Throws `misuse` for what is no text. */
export function needString(where: string, value: unknown, what = "the text"): asserts value is string {
  if (typeof value !== "string") throw misuse(where, `${what} has to be a string, not ${named(value)}`);
}

/** Throws `misuse` for what is no text, and for one without anything in it. */
export function needText(where: string, value: unknown, what = "the text"): asserts value is string {
  needString(where, value, what);
  if (value.trim() === "") throw misuse(where, `${what} is empty`);
}

/** Throws `misuse` unless it is an object with fields of these names and kinds. */
export function needFields(where: string, value: unknown, kinds: Kinds): Fields {
  const fields = asFields(value);
  if (fields === null) throw misuse(where, `settings are an object, not ${named(value)}`);
  for (const [name, one] of Object.entries(fields)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) throw misuse(where, `there is no "${name}", only ${Object.keys(kinds).join(", ")}`);
    if (one !== undefined && !isOf(kind, one)) throw misuse(where, `"${name}" has to be of type ${kind}, not ${named(one)}`);
  }
  return fields;
}

/** Throws `misuse` unless somebody agrees to something. */
export function needConsent(where: string, value: unknown): void {
  const { consent, consentId } = needFields(where, value ?? {}, CONSENT_KINDS);
  if (isBlank(consent) && isBlank(consentId)) {
    throw misuse(where, 'the speaker has to agree: give their statement as "consent", or "consentId" of one on record');
  }
}

/** Throws `misuse` unless it is an object whose values are all of one kind; `what` names it. */
export function needTable(where: string, value: unknown, kind: Kind, what: string): void {
  const fields = asFields(value);
  if (fields === null || !Object.values(fields).every((one) => isOf(kind, one))) {
    throw misuse(where, `${what} are an object with values of type ${kind}`);
  }
}

/** Whether it gives a text bit by bit. */
export function isStream(value: unknown): value is AsyncIterable<string> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/** What a value is, in words; of a text or an object nothing is quoted. */
export function named(value: unknown): string {
  if (value === null || value === undefined || typeof value === "number") return String(value);
  return Array.isArray(value) ? "a list" : `of type ${typeof value}`;
}

function isBlank(value: unknown): boolean {
  return value === undefined || String(value).trim() === "";
}

function isOf(kind: Kind, value: unknown): boolean {
  if (kind === "integer") return Number.isInteger(value);
  return kind === "number" ? Number.isFinite(value) : typeof value === kind;
}
