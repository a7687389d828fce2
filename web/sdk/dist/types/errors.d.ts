/** The one class of errors that the client throws and tells of. */
import { type Code, type Fault, type Language } from "./texts.js";
/** What else is known of an error. */
export interface ErrorContext {
    /** The service's own words, in English. */
    detail?: string | undefined;
    cause?: unknown;
    /** The utterance that it is about. */
    utteranceId?: string | undefined;
}
/** Something went wrong: `code` is for programs, `message` for a person and says what to do. */
export declare class VoicePeerError extends Error {
    readonly name = "VoicePeerError";
    readonly code: string;
    /** Whose it is to change something. */
    readonly fault: Fault;
    readonly detail: string;
    readonly utteranceId: string | undefined;
    constructor(code: Code | (string & {}), context?: ErrorContext);
    /** The message in another language than that of `setLanguage`. */
    in(language: Language): string;
}
/** Any thrown value as an error of ours; one that is stays as it is. */
export declare function asVoicePeerError(error: unknown, code?: Code): VoicePeerError;
