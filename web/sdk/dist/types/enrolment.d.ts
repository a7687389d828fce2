/** One attempt at learning the speaker of the microphone. */
/** How it is going. */
export interface EnrolmentProgress {
    heardS: number;
    neededS: number;
    /** `heardS` of `neededS`, 0 to 1. */
    share: number;
    /** Of what was heard, 0 to 1. */
    quality: number;
    snrDb: number | null;
    /** What the speaker should change, in the service's words; `hintCode` says the same for programs. */
    hint: string | null;
    hintCode: string | null;
}
/** A voice that was learned. */
export interface LearnedVoice {
    voiceId: string;
    heardS: number;
    quality: number;
    /** From the first speech heard. */
    elapsedMs: number;
}
/** What the speaker agrees to. */
export interface Consent {
    /** Their statement, in their words. */
    consent?: string;
    /** Which wording of yours it is. */
    consentVersion?: number;
    /** Instead: a consent that was recorded before. */
    consentId?: string;
    /** What the voice is called. */
    name?: string;
}
/**
 * Learning a voice. `for await` over it gives the progress until the voice is ready, or throws where
 * it was rejected.
 */
export declare class Enrolment implements AsyncIterable<EnrolmentProgress> {
    #private;
    constructor(stop: () => void);
    /** When the voice can be spoken with; it still gets better. Rejects with a `VoicePeerError`. */
    get usable(): Promise<LearnedVoice>;
    /** When the voice is as good as the needed seconds make it. Rejects with a `VoicePeerError`. */
    get ready(): Promise<LearnedVoice>;
    /** Whether nothing more will come of it. */
    get isOver(): boolean;
    /** Stop learning; the voice stays as it is. */
    stop(): void;
    [Symbol.asyncIterator](): AsyncGenerator<EnrolmentProgress, void, undefined>;
}
