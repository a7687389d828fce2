/** Voices that outlive a call: listed, named, carried away, deleted. */
import { type ServiceHttp } from "./http.js";
/** A voice that can be spoken with. */
export interface VoiceInfo {
    id: string;
    name: string;
    /** `stock` voices come with the engine and are everybody's. */
    kind: "own" | "stock";
    createdAt: Date;
    consentId: string | null;
    /** Of the recording it was learned from, 0 to 1. */
    quality: number | null;
    expiresAt: Date | null;
}
/** The voice that a call speaks with, or has saved. */
export interface ChosenVoice {
    voiceId: string;
    name: string;
}
/** What voices ask of a call. */
export interface VoicesPort {
    use(voiceId: string): Promise<ChosenVoice>;
    mix(weights: Record<string, number>): Promise<ChosenVoice>;
    save(name: string): Promise<ChosenVoice>;
}
/** The voices of whoever has the token. All reject with a `VoicePeerError`. */
export declare class Voices {
    #private;
    constructor(http: ServiceHttp, port: VoicesPort);
    /** Own voices, the newest first, then those of the engine. */
    list(): Promise<VoiceInfo[]>;
    /** Speak with a voice from the next utterance on. */
    use(voiceId: string): Promise<ChosenVoice>;
    /** Speak with a mix: weights over 0 by id. */
    mix(weights: Record<string, number>): Promise<ChosenVoice>;
    /** Keep the voice of this call after the call. */
    save(name: string): Promise<ChosenVoice>;
    /** Give a voice another name. */
    rename(voiceId: string, name: string): Promise<VoiceInfo>;
    /** The voice with its consent, as a file. Keep it like a secret. */
    export(voiceId: string): Promise<Blob>;
    /** Take in a file that was exported; the voice has a new id, and another name where its own is taken. */
    import(file: Blob): Promise<VoiceInfo>;
    /** Delete a voice, at once and everywhere: calls that speak with it fall silent. */
    delete(voiceId: string): Promise<void>;
    /** Withdraw a consent: all voices that were made under it are deleted with it; their ids. */
    withdraw(consentId: string): Promise<string[]>;
}
