/** Events with typed details. */

/** Stops a listener from being called. */
export type Off = () => void;

/** Calls listeners by event name; `Events` maps names to what listeners are given. */
export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<(detail: never) => void>>();

  /** Call `listener` at every event of this name, until the function that is returned is called. */
  on<Name extends keyof Events>(name: Name, listener: (detail: Events[Name]) => void): Off {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  /** The next event of this name. */
  once<Name extends keyof Events>(name: Name): Promise<Events[Name]> {
    return new Promise((resolve) => {
      const off = this.on(name, (detail) => {
        off();
        resolve(detail);
      });
    });
  }

  /** Tell all listeners. One that throws is reported like any uncaught error; the others go on. */
  emit<Name extends keyof Events>(name: Name, detail: Events[Name]): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      try {
        (listener as (detail: Events[Name]) => void)(detail);
      } catch (error) {
        reportUncaught(error);
      }
    }
  }
}

function reportUncaught(error: unknown): void {
  if (typeof reportError === "function") reportError(error);
  else setTimeout(() => { throw error; }, 0); // Safari before 15.4
}
