/** Tells applications what they ask for wrongly, before anything of it is sent. Pure. */
import { VoicePeerError } from "./errors.js";
import { type Fields } from "./shapes.js";
/** What a field can be. */
type Kind = "string" | "number" | "integer" | "boolean";
/** Kinds of the fields that an object may have. */
export type Kinds = Readonly<Record<string, Kind>>;
/** Settings that can change while a text is said. */
export declare const CONTROL_KINDS: {
    readonly speed: "number";
    readonly pitchSemitones: "number";
    readonly energy: "number";
    readonly volume: "number";
    readonly pauses: "number";
    readonly emotion: "string";
    readonly emotionStrength: "number";
};
/** All settings of a text. */
export declare const DELIVERY_KINDS: {
    readonly language: "string";
    readonly voiceId: "string";
    readonly priority: "integer";
    readonly ssml: "boolean";
    readonly visemes: "boolean";
    readonly captions: "boolean";
    readonly interrupt: "boolean";
    readonly speed: "number";
    readonly pitchSemitones: "number";
    readonly energy: "number";
    readonly volume: "number";
    readonly pauses: "number";
    readonly emotion: "string";
    readonly emotionStrength: "number";
};
/** An error of the application's code: `where` is the method, `what` is wrong with what it was given. */
export declare function misuse(where: string, what: string): VoicePeerError;
/** Throws `misuse` for what is no text. */
export declare function needString(where: string, value: unknown, what?: string): asserts value is string;
/** Throws `misuse` for what is no text, and for one without anything in it. */
export declare function needText(where: string, value: unknown, what?: string): asserts value is string;
/** Throws `misuse` unless it is an object with fields of these names and kinds. */
export declare function needFields(where: string, value: unknown, kinds: Kinds): Fields;
/** Throws `misuse` unless somebody agrees to something. */
export declare function needConsent(where: string, value: unknown): void;
/** Throws `misuse` unless it is an object whose values are all of one kind; `what` names it. */
export declare function needTable(where: string, value: unknown, kind: Kind, what: string): void;
/** Whether it gives a text bit by bit. */
export declare function isStream(value: unknown): value is AsyncIterable<string>;
/** What a value is, in words; of a text or an object nothing is quoted. */
export declare function named(value: unknown): string;
export {};
