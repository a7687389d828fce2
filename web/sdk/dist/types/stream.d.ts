/** A sequence that grows while it is read. */
/**
 * Every reader gets all items from the first one on, also those that came before it began, and ends
 * when the stream is closed.
 */
export declare class Stream<Item> implements AsyncIterable<Item> {
    #private;
    /** Add an item; nothing once the stream is closed. */
    push(item: Item): void;
    /** No more items come. */
    close(): void;
    [Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined>;
}
