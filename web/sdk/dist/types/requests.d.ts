/** Requests that the service answers, by their ids. */
import type { Opened } from "./envelope.js";
import { VoicePeerError } from "./errors.js";
/** What has been asked and not been answered. */
export declare class Requests {
    #private;
    /** Ask by `send`, which is given the id to ask under. Rejects with a `VoicePeerError`. */
    ask(send: (id: string) => void): Promise<Record<string, unknown>>;
    /** Take an answer or a refusal; whether somebody waited for it. */
    take({ id, kind, fields }: Opened): boolean;
    /** Nothing that was asked so far is answered any more. */
    lost(): void;
}
/** An error of the service, out of the fields of its message. */
export declare function refusal(fields: Record<string, unknown>): VoicePeerError;
