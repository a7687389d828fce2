/** A sequence that grows while it is read. */

/**
 * Every reader gets all items from the first one on, also those that came before it began, and ends
 * when the stream is closed.
 */
export class Stream<Item> implements AsyncIterable<Item> {
  readonly #items: Item[] = [];
  #closed = false;
  #waiting: Array<() => void> = [];

  /** Add an item; nothing once the stream is closed. */
  push(item: Item): void {
    if (this.#closed) return;
    this.#items.push(item);
    this.#wake();
  }

  /** No more items come. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for (let at = 0; ; at += 1) {
      while (at >= this.#items.length) {
        if (this.#closed) return;
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
      yield this.#items[at] as Item;
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
