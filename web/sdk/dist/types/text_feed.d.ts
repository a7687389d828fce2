/** Joins the small deltas of a language model into fewer messages, without delaying the first. */
/** Sends a first text at once, and what comes after it together, every 20 ms. */
export declare class TextFeed {
    #private;
    constructor(send: (text: string) => void);
    /** Take a text; an empty one is none. */
    push(text: string): void;
    /** Send what waits. */
    flush(): void;
}
