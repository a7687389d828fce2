// @vitest-environment happy-dom
import { VoicePeerError, type VoiceInfo } from "@voicepeer/client";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Call, type Problem } from "../src/call.js";
import { Library } from "../src/library.js";
import { INITIAL, type PageEvent, type PageState, reduce } from "../src/state.js";
import { Store } from "../src/store.js";
import { ScriptedPeer } from "./scripted_peer.js";

vi.mock("@voicepeer/client", async (original) => {
  const { ScriptedPeer: VoicePeer } = await import("./scripted_peer.js");
  return { ...await original<object>(), VoicePeer };
});

const ADA: VoiceInfo = { id: "v", name: "Ada", kind: "own", createdAt: new Date(0), consentId: null, quality: null, expiresAt: null };
let store: Store<PageState, PageEvent>;
let call: Call;
let library: Library;
/** Names that the person tries in turn. */
let names: string[];
let problems: (Problem | null)[];

beforeEach(() => {
  store = new Store<PageState, PageEvent>(INITIAL, reduce);
  store.send({ type: "start" });
  call = new Call(store, {
    key: null, player: document.createElement("audio"), consent: "I agree.", kept: null, room: "hall", name: "", joinOnly: false, goTo: () => undefined,
  });
  ScriptedPeer.last.listed = [ADA];
  store.send({ type: "chosen", current: { id: "v", name: "Ada", kind: "saved" } });
  [names, problems] = [[], []];
  library = new Library(store, {
    name: async (_, take) => { for (const name of names) problems.push(await take(name)); },
    mayDelete: async () => true,
  });
});

describe("renaming", () => {
  it("asks until a name is taken, and alerts nobody meanwhile", async () => {
    const { voices } = ScriptedPeer.last;
    voices.rename = async (_, name) => { if (name !== "Bea") throw new VoicePeerError("invalid_value", { detail: "regex" }); };
    names = ["\u202e", "Bea"];
    await library.rename(call, ADA);
    expect(problems).toMatchObject([{ code: "invalid_value" }, null]);
    expect(store.state).toMatchObject({ alert: null, current: { name: "Bea" }, voices: [{ id: "v" }] });
  });
});

describe("deleting", () => {
  it("the voice that speaks asks for another one, until there is one", async () => {
    ScriptedPeer.last.listed = [];
    await library.remove(call, ADA);
    expect(store.state).toMatchObject({ current: null, alert: { code: "deleted-current", detail: "Ada", tone: "notice" } });
    await call.use({ id: "nova", name: "Nova", kind: "stock" });
    expect(store.state.alert).toBeNull();
  });

  it("another one says that it is done", async () => {
    await library.remove(call, { ...ADA, id: "w", name: "Bea" });
    expect(store.state).toMatchObject({ current: { id: "v" }, alert: { code: "deleted", detail: "Bea", tone: "done" } });
  });
});

describe("a file", () => {
  it("that is too large is not even sent", async () => {
    await library.import(call, { size: 60_000_000 } as Blob);
    expect(store.state.alert).toMatchObject({ code: "too_large", about: "import", tone: "fault" });
    expect(ScriptedPeer.last.asked).toEqual([]);
    await library.import(call, new Blob(["x"]));
    expect(store.state.alert).toMatchObject({ code: "imported", detail: "Ada" });
  });
});
