/** Joins the small deltas of a language model into fewer messages, without delaying the first. */

const EVERY_MS = 20;

/** Sends a first text at once, and what comes after it together, every 20 ms. */
export class TextFeed {
  readonly #send: (text: string) => void;
  #pending = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  /** Take a text; an empty one is none. */
  push(text: string): void {
    this.#pending += text;
    if (this.#timer !== undefined || this.#pending === "") return;
    this.#sendPending();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.push("");
    }, EVERY_MS);
  }

  /** Send what waits. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sendPending();
  }

  #sendPending(): void {
    const text = this.#pending;
    this.#pending = "";
    if (text !== "") this.#send(text);
  }
}
