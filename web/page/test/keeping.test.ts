// @vitest-environment happy-dom
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  type KeptCall, VERSION, choice, choose, keepCall, keepConsent, keepDraft, keptCall, keptConsent, keptDraft,
} from "../src/keeping.js";
import { fileName } from "../src/library.js";
import { INITIAL, PLAIN } from "../src/state.js";

const CALL: KeptCall = {
  version: VERSION, resumption: { token: "secret", clientId: "c" }, key: null, room: "hall", consent: "I agree.",
  back: { current: null, learning: INITIAL.learning, manner: PLAIN, bargeIn: false, said: [], figures: [] },
};

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

describe("what is remembered", () => {
  it("is a choice for ever, a call for the tab", () => {
    choose("theme", "dark");
    keepCall(CALL);
    expect(choice("theme")).toBe("dark");
    expect(choice("language")).toBeNull();
    expect(keptCall()).toEqual(CALL);
    expect(localStorage.length).toBe(1);
    keepCall(null);
    expect(keptCall()).toBeNull();
  });

  it("is consent to this statement, and what is being typed, for the tab", () => {
    expect([keptConsent(2), keptDraft()]).toEqual([false, ""]);
    keepConsent(2, true);
    keepDraft("Half a");
    expect([keptConsent(2), keptConsent(3), keptDraft()]).toEqual([true, false, "Half a"]);
    keepConsent(2, false);
    keepDraft("");
    expect([keptConsent(2), keptDraft(), sessionStorage.length, localStorage.length]).toEqual([false, "", 0, 0]);
  });

  it.each(["", "null", "7", "{", "[]", JSON.stringify({ ...CALL, version: VERSION - 1 }),
    JSON.stringify({ ...CALL, resumption: {} }), JSON.stringify({ ...CALL, back: undefined })])(
    "is nothing where %j was kept", (kept) => {
      sessionStorage.setItem("voicepeer.call", kept);
      expect(keptCall()).toBeNull();
    });

  it("is nothing in a browser that keeps nothing", () => {
    const refuse = () => { throw new DOMException("no", "SecurityError"); };
    for (const name of ["localStorage", "sessionStorage"]) {
      vi.stubGlobal(name, { getItem: refuse, setItem: refuse, removeItem: refuse });
    }
    expect(() => choose("theme", "dark")).not.toThrow();
    expect(() => keepCall(CALL)).not.toThrow();
    expect(() => { keepConsent(2, true); keepDraft("x"); }).not.toThrow();
    expect([keptConsent(2), keptDraft()]).toEqual([false, ""]);
    expect(choice("theme")).toBeNull();
    expect(keptCall()).toBeNull();
    vi.unstubAllGlobals();
  });
});

describe("the name of an exported file", () => {
  it.each([["Ada", "Ada"], ["小明", "小明"], ["../../etc/passwd", "_etc_passwd"], ["a:b*c?", "a_b_c_"], ["", "voice"],
    ["x".repeat(200), "x".repeat(60)]])("of %j is %j", (name, file) => {
    expect(fileName(name)).toBe(file);
  });
});
