/** What a call was told of how to speak, for a session that begins in place of a lost one. Pure. */
import type { Channel } from "./wire.js";
/** A message to be sent again. */
export type Remembered = {
    [Name in "controls.set" | "session.configure" | "lexicon.set" | "voice.use" | "voice.mix"]: [
        name: Name,
        fields: Channel.Requests[Name]
    ];
}["controls.set" | "session.configure" | "lexicon.set" | "voice.use" | "voice.mix"];
/** Remembers the last of everything. */
export declare class Memory {
    #private;
    /** The service was asked for this. */
    asked(...[name, fields]: Remembered): void;
    /** The call speaks with a voice that was learned in it. */
    learned(): void;
    /** Whether the voice cannot be asked for again: it was learned in the call that is lost. */
    get losesVoice(): boolean;
    /** What to send so that a new session speaks like the lost one. */
    replay(): Remembered[];
}
