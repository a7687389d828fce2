import { describe, expect, it } from "vitest";
import { Store } from "../src/store.js";

const counter = () => new Store<number, number>(0, (state, event) => state + event);

describe("a store", () => {
  it("tells at once how it is, and then of every change", () => {
    const store = counter();
    const seen: [number, number][] = [];
    store.send(1);
    store.watch((now, before) => seen.push([now, before]));
    store.send(2);
    store.send(0);
    expect(seen).toEqual([[1, 1], [3, 1]]);
    expect(store.state).toBe(3);
  });

  it("tells everybody of all changes in their order, also of those that a listener makes", () => {
    const store = counter();
    const seen: number[] = [];
    store.watch((now) => { if (now === 1) store.send(10); });
    store.watch((now) => { seen.push(now); });
    store.send(1);
    expect(seen).toEqual([0, 1, 11]);
  });
});
