/** How loud a sound is, without recording it. */
/** What counts as silence. */
export declare const SILENCE_DBFS = -120;
/** RMS level of samples in dB relative to full scale; -120 is silence. */
export declare function levelDbfs(samples: Float32Array): number;
/** Listens to a node of a Web Audio graph. */
export declare class LevelMeter {
    #private;
    /** `window` samples, a power of two, are looked at: 1024 are 21 ms at 48 kHz. */
    constructor(node: AudioNode, window?: number);
    /** The last samples; the array is used again by the next call. */
    samples(): Float32Array;
    /** Level of the last samples, in dB relative to full scale. */
    dbfs(): number;
    /** Stop listening. */
    close(): void;
}
