/** Texts cut so that each piece fits into a message. Pure. */
/** The text in pieces of at most 2,000 code points; none for an empty text. */
export declare function pieces(text: string): Generator<string>;
/** Whether a text goes as one piece. */
export declare function isShort(text: string): boolean;
/** Offsets in UTF-16 units of a text's code points; it may grow. Each look-up costs what lies between. */
export declare class CodePoints {
    #private;
    /** The offset of code point `point` in `text`, at most its length. */
    unitOf(text: string, point: number): number;
}
