/** Checks messages by the shapes that the wire schema gives. Pure. */
import { type Shapes } from "./wire.js";
/** An object out of JSON. */
export type Fields = Record<string, unknown>;
/** Types of fields, as the wire schema writes them. */
export type Shape = Shapes[string];
/** `unknown` is none that this client knows: a newer service may have more. `broken` has other fields. */
export type Verdict = "fits" | "unknown" | "broken";
/** Judge a message on the data channel. */
export declare function judgeMessage(name: string, fields: Fields): Verdict;
/** Judge a message on the WebSocket. */
export declare function judgeSignal(type: string, fields: Fields): Verdict;
/** Whether an object has the fields of a shape; others do not matter. */
export declare function fits(shape: Shape, fields: Fields): boolean;
/** A value as an object that is no list, or `null`. */
export declare function asFields(value: unknown): Fields | null;
/** The object that a JSON text stands for, or `null`. */
export declare function parseFields(text: unknown): Fields | null;
