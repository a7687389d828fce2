/** What is heard of a call, what keeps it from being heard, and the track that others are given. */

import { describe, expect, it } from "vitest";
import { browser, call, fakeBrowser, of, pass } from "./kit/browser.js";
import { FakeAudioContext } from "./kit/media.js";

fakeBrowser();

const context = () => FakeAudioContext.all[0] as FakeAudioContext;
const press = () => document.dispatchEvent(new Event("keydown"));

describe("sound that the browser blocks", () => {
  it("is told of, and comes with the first key or click", async () => {
    FakeAudioContext.blocked = true;
    const { peer, told } = await call();
    expect(of(told, "audio.blocked")[0]).toMatchObject({ fault: "browser", message: expect.stringMatching(/click/) });
    expect(await peer.resumeAudio()).toBe(false);
    FakeAudioContext.blocked = false;
    press();
    await pass();
    press();
    await pass();
    expect(of(told, "notice").map(({ code }) => code)).toEqual(["audio.blocked", "audio.resumed"]);
  });

  it("is told of also where only the element may not play", async () => {
    const player = document.createElement("audio");
    let allowed = false;
    Object.defineProperty(player, "play", {
      value: async () => { if (!allowed) throw new DOMException("", "NotAllowedError"); },
    });
    const { peer, told } = await call({ player });
    expect(of(told, "audio.blocked").length).toBe(1);
    allowed = true;
    expect(await peer.resumeAudio()).toBe(true);
    expect(of(told, "audio.resumed").length).toBe(1);
  });

  it("is nothing to tell of before there is a voice", async () => {
    FakeAudioContext.blocked = true;
    browser.service.mediaWorks = false;
    const failing = call();
    failing.catch(() => undefined);
    await pass(16_000);
    await expect(failing).rejects.toMatchObject({ code: "no_connection" });
    expect(context().state).toBe("closed");
  });

  it("is another app's doing on iPhones, and comes back with the page", async () => {
    const { told } = await call();
    context().become("interrupted");
    expect(of(told, "audio.interrupted")[0]?.message).toMatch(/Another app/);
    document.dispatchEvent(new Event("visibilitychange"));
    await pass();
    expect(of(told, "notice").map(({ code }) => code)).toEqual(["audio.interrupted", "audio.resumed"]);
  });

  it("does not keep a call from being made in a browser without Web Audio", async () => {
    const scope = globalThis as { AudioContext?: unknown };
    delete scope.AudioContext;
    const { peer } = await call();
    expect(peer.state).toBe("connected");
    expect([peer.speech.track, peer.speech.dbfs, peer.microphone.dbfs]).toEqual([null, -120, -120]);
    expect(peer.speech.remoteTrack).not.toBeNull();
  });

  it("works where Web Audio has its old name", async () => {
    const scope = globalThis as { AudioContext?: unknown; webkitAudioContext?: unknown };
    scope.webkitAudioContext = FakeAudioContext;
    delete scope.AudioContext;
    expect((await call()).peer.speech.track).not.toBeNull();
    delete scope.webkitAudioContext;
  });
});

describe("the voice", () => {
  it("is played here unless it goes elsewhere, as loud as wanted", async () => {
    const player = document.createElement("audio");
    const { peer } = await call({ player });
    expect([player.muted, peer.speech.muted]).toEqual([false, false]);
    expect(player.srcObject).not.toBeNull();
    peer.speech.volume = 0.5;
    peer.speech.muted = true;
    expect([player.volume, peer.speech.volume, player.muted]).toEqual([0.5, 0.5, true]);
    expect((await call({ audible: false })).peer.speech.muted).toBe(true);
  });

  it("has a level", async () => {
    const { peer } = await call();
    expect(peer.speech.dbfs).toBeCloseTo(-40, 1);
  });

  it("is given on as a track that ends with the call", async () => {
    const { peer } = await call();
    const track = peer.speech.track;
    expect(track?.readyState).toBe("live");
    peer.close();
    expect([track?.readyState, context().state]).toEqual(["ended", "closed"]);
  });

  it("goes to another output where the browser can", async () => {
    const prototype = HTMLMediaElement.prototype as { setSinkId?: (id: string) => Promise<void> };
    const had = Object.getOwnPropertyDescriptor(prototype, "setSinkId");
    delete prototype.setSinkId;
    const { peer, told } = await call();
    expect(await peer.speech.setOutput("speakers")).toBe(false);
    expect(of(told, "output.fixed").length).toBe(1);
    const chosen: string[] = [];
    prototype.setSinkId = async (id) => void chosen.push(id);
    expect(await peer.speech.setOutput("speakers")).toBe(true);
    expect(chosen).toEqual(["speakers"]);
    prototype.setSinkId = async () => { throw new DOMException("", "NotFoundError"); };
    expect(await peer.speech.setOutput("gone")).toBe(false);
    expect(of(told, "output.missing").length).toBe(1);
    if (had) Object.defineProperty(prototype, "setSinkId", had);
    else delete prototype.setSinkId;
  });
});
