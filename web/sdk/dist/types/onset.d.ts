/** Finds the moment at which a sound begins. Pure. */
/** The quietest level of speech that a person hears. */
export declare const AUDIBLE_DBFS = -50;
/**
 * Offset of the first block of 2 ms at which a sound begins; -1 where none does. Unless it was `quiet`
 * before `samples`, what they begin with is the end of another sound.
 */
export declare function onset(samples: Float32Array, rateHz: number, quiet: boolean): number;
/** Whether nothing in `samples` is audible. */
export declare function isQuiet(samples: Float32Array, rateHz: number): boolean;
/** How late what the service tells is to what is heard: messages overtake sound, which is buffered. */
export declare class HearingDelay {
    #private;
    /** The service's word that a sound was sent came at `toldAt`, the sound at `heardAt` (ms). */
    measured(toldAt: number, heardAt: number): void;
    /** What to wait after the service's word, in ms. */
    get ms(): number;
}
