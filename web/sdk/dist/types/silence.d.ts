/** Notices a microphone that gives nothing at all: muted by a switch, or by the system. Pure. */
/** Told of every look at the microphone. */
export declare class SilenceWatch {
    #private;
    /** Whether the microphone counts as silent. */
    get isSilent(): boolean;
    /**
     * `isZero`: every sample since the look before was digital silence, which no open microphone gives.
     * `now` in ms. What has changed by that, if anything.
     */
    look(isZero: boolean, now: number): "silent" | "heard" | null;
    /** Forget what was seen, for another microphone. */
    reset(): void;
}
