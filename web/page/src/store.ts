/** Holds a state, and tells who shows it when it has changed. */

export class Store<State, Event> {
  #state: State;
  readonly #reduce: (state: State, event: Event) => State;
  readonly #listeners: ((state: State, before: State) => void)[] = [];
  /** Changes that listeners have not been told of yet. */
  readonly #untold: [now: State, before: State][] = [];

  constructor(state: State, reduce: (state: State, event: Event) => State) {
    this.#state = state;
    this.#reduce = reduce;
  }

  get state(): State {
    return this.#state;
  }

  /** Let something happen. Listeners may send further events; each is told of all changes in their order. */
  send(event: Event): void {
    const before = this.#state;
    this.#state = this.#reduce(before, event);
    if (this.#state === before) return;
    const telling = this.#untold.push([this.#state, before]) > 1;
    if (!telling) this.#tell();
  }

  /** Be told of every change, and once at the beginning. */
  watch(listener: (state: State, before: State) => void): void {
    this.#listeners.push(listener);
    listener(this.#state, this.#state);
  }

  #tell(): void {
    for (let change = this.#untold[0]; change !== undefined; change = this.#untold[0]) {
      for (const listener of this.#listeners) listener(...change);
      this.#untold.shift();
    }
  }
}
