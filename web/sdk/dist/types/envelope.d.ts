/** The envelope of RTVI around every message on the data channel (docs/wire.md). */
import { type Fields } from "./shapes.js";
import { type Channel } from "./wire.js";
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
/** JSON text of a message; a `client-message` with an id is answered under it. */
export declare function seal<Name extends keyof Outgoing>(name: Name, fields: Outgoing[Name], id?: string): string;
/**
 * Take a message out of its envelope. `null` for what is none, and for what this client does not know:
 * newer services may say more. `"broken"` for a message that does not have the fields it should have.
 */
export declare function open(text: unknown): Opened | "broken" | null;
