/** The microphone: chosen, lost, found again, silent. */

import { describe, expect, it, test } from "vitest";
import { canChooseOutput, listDevices } from "../src/index.js";
import { browser, call, fakeBrowser, of, pass } from "./kit/browser.js";
import { FakeAudioContext, FakeTrack } from "./kit/media.js";

fakeBrowser();

const opened = () => browser.devices.opened;
const sent = () => browser.service.pc.sentTracks;
const codes = (told: Awaited<ReturnType<typeof call>>["told"]) => of(told, "notice").map(({ code }) => code);
const context = () => FakeAudioContext.all[0] as FakeAudioContext;

describe("a microphone", () => {
  it("is the one that was chosen, in the call too", async () => {
    browser.devices.plug("a", "b");
    const { peer, told } = await call({ microphone: "b" });
    expect(peer.microphone.device).toEqual({ id: "b", label: "Microphone b" });
    expect(await peer.microphone.start("a")).toBe(true);
    expect(peer.microphone.device?.id).toBe("a");
    expect(opened().map(({ readyState }) => readyState)).toEqual(["ended", "live"]);
    expect(sent()).toEqual(opened());
    expect(of(told, "microphone")).toEqual(["on"]);
    expect(codes(told)).toEqual([]);
  });

  it("is another one where the chosen one is gone", async () => {
    const { peer } = await call({ microphone: "gone" });
    expect(peer.microphone.device?.id).toBe("built-in");
  });

  test.each([
    ["NotAllowedError", "denied", "microphone.denied"],
    ["SecurityError", "denied", "microphone.denied"],
    ["NotFoundError", "missing", "microphone.missing"],
    ["NotReadableError", "busy", "microphone.busy"],
    ["AbortError", "busy", "microphone.busy"],
    ["TypeError", "busy", "microphone.busy"],
  ])("that the browser refuses with %s is %s", async (name, state, code) => {
    browser.devices.refusal = name;
    const { peer, told } = await call();
    expect(peer.microphone.state).toBe(state);
    expect(codes(told)).toEqual([code]);
    expect(peer.microphone.device).toBeNull();
    expect(peer.microphone.dbfs).toBe(-120);
  });

  it("is not to be had on a page that is not secure", async () => {
    Object.defineProperty(navigator, "mediaDevices", { value: undefined, configurable: true });
    const { peer, told } = await call();
    expect(codes(told)).toEqual(["page.insecure"]);
    expect(peer.microphone.state).toBe("denied");
    expect(await peer.devices()).toMatchObject({ microphones: [], outputs: [] });
  });

  it("stays as it was where another one is refused", async () => {
    const { peer, told } = await call();
    browser.devices.refusal = "NotReadableError";
    expect(await peer.microphone.start("other")).toBe(false);
    expect(peer.microphone.state).toBe("on");
    expect(opened()[0]?.readyState).toBe("live");
    expect(codes(told)).toEqual(["microphone.busy"]);
  });

  it("is turned off and on, and muted, also across devices", async () => {
    const { peer, told } = await call();
    peer.microphone.muted = true;
    expect(opened()[0]?.enabled).toBe(false);
    await peer.microphone.stop();
    expect([peer.microphone.state, sent().at(-1), opened()[0]?.readyState]).toEqual(["off", null, "ended"]);
    await peer.microphone.start();
    expect(opened()[1]?.enabled).toBe(false);
    peer.microphone.muted = false;
    expect([peer.microphone.muted, opened()[1]?.enabled]).toEqual([false, true]);
    expect(of(told, "microphone")).toEqual(["on", "off", "on"]);
  });

  it("is sent also where its level cannot be measured", async () => {
    FakeAudioContext.refused = ["Built-in"];
    const { peer, told } = await call();
    await pass(5_000);
    expect([peer.microphone.state, peer.microphone.dbfs]).toEqual(["on", -120]);
    expect(sent()).toEqual(opened());
    expect(codes(told)).toEqual([]);
  });

  it("that is allowed after the end of the call is let go of at once", async () => {
    const { peer } = await call();
    const starting = peer.microphone.start();
    peer.close();
    expect(await starting).toBe(false);
    expect(opened().every(({ readyState }) => readyState === "ended")).toBe(true);
  });
});

describe("a microphone that is lost", () => {
  it("is replaced by another one", async () => {
    browser.devices.plug("a", "b");
    const { peer, told } = await call({ microphone: "a" });
    browser.devices.plug("b");
    opened()[0]?.end();
    await pass();
    expect(peer.microphone.device?.id).toBe("b");
    expect(of(told, "microphone.changed")[0]?.message).toBe("The call goes on with another microphone: Microphone b");
    expect(of(told, "microphone")).toEqual(["on", "lost", "on"]);
    expect(sent().at(-1)).toBe(opened().at(-1));
  });

  it("is taken again when it is back", async () => {
    browser.devices.plug("a", "b");
    const { peer, told } = await call({ microphone: "a" });
    browser.devices.plug("b");
    opened()[0]?.end();
    await pass();
    browser.devices.plug("b", "a");
    await pass();
    expect(peer.microphone.device?.id).toBe("a");
    expect(codes(told)).toEqual(["microphone.changed", "microphone.changed"]);
    browser.devices.plug("b", "a", "c");
    await pass();
    expect(opened().length).toBe(3);
  });

  it("leaves a call that listens, until there is one again", async () => {
    const { peer, told } = await call();
    browser.devices.plug();
    opened()[0]?.end();
    await pass();
    expect([peer.microphone.state, sent().at(-1)]).toEqual(["lost", null]);
    expect(codes(told)).toEqual(["microphone.lost"]);
    browser.devices.plug("new");
    await pass();
    expect([peer.microphone.state, peer.microphone.device?.id]).toEqual(["on", "new"]);
  });

  it("that was never there is taken when it comes", async () => {
    browser.devices.microphones = [];
    const { peer } = await call();
    expect(peer.microphone.state).toBe("missing");
    browser.devices.plug("first");
    await pass();
    expect(peer.microphone.state).toBe("on");
  });

  it("and was refused is not asked for again by itself", async () => {
    browser.devices.refusal = "NotAllowedError";
    await call();
    browser.devices.plug("a");
    await pass();
    expect(browser.devices.asked.length).toBe(1);
  });

  it("and was the application's own is not replaced", async () => {
    const track = new FakeTrack("mixer");
    const { told } = await call({ microphone: track as unknown as MediaStreamTrack });
    track.end();
    await pass();
    browser.devices.plug("a");
    await pass();
    expect(browser.devices.asked).toEqual([]);
    expect(codes(told)).toEqual(["microphone.lost"]);
  });
});

describe("a microphone that gives nothing", () => {
  it("is told of once, and when it sounds again", async () => {
    const { peer, told } = await call();
    context().fill = (samples) => samples.fill(0);
    await pass(6_000);
    expect(of(told, "microphone.silent")[0]?.message).toMatch(/muted/);
    context().fill = (samples) => samples.fill(1e-5);
    await pass(500);
    expect(codes(told)).toEqual(["microphone.silent", "microphone.heard"]);
    expect(peer.microphone.dbfs).toBeCloseTo(-100, 0);
  });

  it("is one that the system has muted", async () => {
    const { told } = await call();
    (opened()[0] as FakeTrack).muted = true;
    await pass(3_000);
    expect(codes(told)).toEqual(["microphone.silent"]);
  });

  it("is none that was muted here, nor one that nothing can be heard of", async () => {
    const { peer, told } = await call();
    context().fill = (samples) => samples.fill(0);
    peer.microphone.muted = true;
    await pass(5_000);
    peer.microphone.muted = false;
    context().state = "suspended";
    await pass(5_000);
    expect(codes(told)).toEqual([]);
  });
});

describe("permission", () => {
  it("that comes later turns the microphone on", async () => {
    const permission = Object.assign(new EventTarget(), { state: "denied" });
    Object.defineProperty(navigator, "permissions", { value: { query: async () => permission }, configurable: true });
    browser.devices.refusal = "NotAllowedError";
    const { peer } = await call();
    browser.devices.refusal = null;
    permission.state = "granted";
    permission.dispatchEvent(new Event("change"));
    await pass();
    expect(peer.microphone.state).toBe("on");
    expect(browser.service.pc.sentTracks.at(-1)).toBe(opened()[0]);
  });

  it("is not asked about where the browser does not know of it", async () => {
    const query = async () => { throw new TypeError("microphone"); };
    Object.defineProperty(navigator, "permissions", { value: { query }, configurable: true });
    expect((await call()).peer.microphone.state).toBe("on");
  });
});

describe("devices", () => {
  it("are listed with the names that the browser tells, without those that it hides", async () => {
    browser.devices.microphones = [{ deviceId: "a", label: "Headset" }, { deviceId: "", label: "" }];
    expect(await listDevices()).toEqual({
      microphones: [{ id: "a", label: "Headset" }], outputs: [{ id: "speakers", label: "Speakers" }],
      canChooseOutput: canChooseOutput(),
    });
  });
});
