/** Finds the moment at which a sound begins. Pure. */
/** The quietest level of speech that a person hears. */
export declare const AUDIBLE_DBFS = -50;
/** Offset of the first block of 2 ms that is audible in `samples`; -1 where there is none. */
export declare function firstAudible(samples: Float32Array, rateHz: number): number;
/** How late what the service tells is to what is heard: messages overtake sound, which is buffered. */
export declare class HearingDelay {
    #private;
    /** The service's word that a sound was sent came at `toldAt`, the sound at `heardAt` (ms). */
    measured(toldAt: number, heardAt: number): void;
    /** What to wait after the service's word, in ms. */
    get ms(): number;
}
