/** Holds a state, and tells who shows it when it has changed. */

export class Store<State, Event> {
  #state: State;
  readonly #reduce: (state: State, event: Event) => State;
  readonly #listeners: ((state: State, before: State) => void)[] = [];

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
    const now = this.#state;
    for (const listener of this.#listeners) listener(now, before);
  }

  /** Be told of every change, and once at the beginning. */
  watch(listener: (state: State, before: State) => void): void {
    this.#listeners.push(listener);
    listener(this.#state, this.#state);
  }
}
