/** The one class of errors that the client throws and tells of. */

import { type Code, type Fault, type Language, faultOf, textOf } from "./texts.js";

/** What else is known of an error. */
export interface ErrorContext {
  /** The service's own words, in English. */
  detail?: string | undefined;
  cause?: unknown;
  /** The utterance that it is about. */
  utteranceId?: string | undefined;
}

/** Something went wrong: `code` is for programs, `message` for a person and says what to do. */
export class VoicePeerError extends Error {
  override readonly name = "VoicePeerError";
  readonly code: string;
  /** Whose it is to change something. */
  readonly fault: Fault;
  readonly detail: string;
  readonly utteranceId: string | undefined;

  constructor(code: Code | (string & {}), context: ErrorContext = {}) {
    const detail = context.detail ?? "";
    super(textOf(code, undefined, detail), "cause" in context ? { cause: context.cause } : undefined);
    this.code = code;
    this.detail = detail;
    this.fault = faultOf(code);
    this.utteranceId = context.utteranceId;
  }

  /** The message in another language than that of `setLanguage`. */
  in(language: Language): string {
    return textOf(this.code, language, this.detail);
  }
}

/** Any thrown value as an error of ours; one that is stays as it is. */
export function asVoicePeerError(error: unknown, code: Code = "internal"): VoicePeerError {
  if (error instanceof VoicePeerError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new VoicePeerError(code, { detail, cause: error });
}
