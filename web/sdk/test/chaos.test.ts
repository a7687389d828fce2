/** Whatever breaks, and in whatever order: a call is connected in the end, or over. */

import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { VoicePeer } from "../src/index.js";
import { browser, call, fakeBrowser, listen, of, pass, type Told } from "./kit/browser.js";

fakeBrowser();

type Blow = readonly [name: string, strike: (peer: VoicePeer) => void];

const BLOWS: readonly Blow[] = [
  ["the socket breaks", () => browser.service.socket.break()],
  ["the data channel closes", () => browser.service.channel.break()],
  ["the connection fails", () => browser.service.pc.become("failed")],
  ["media stops", () => browser.service.pc.become("disconnected")],
  ["media flows", () => browser.service.pc.become("connected")],
  ["the service restarts", () => browser.service.socket.say({ type: "bye", reason: "shutting_down" })],
  ["the service says nonsense", () => browser.service.channel.raw('{"label": "rtvi-ai", "type": 7}')],
  ["the service sends an unknown signal", () => browser.service.socket.say('{"type": "sing"}')],
  ["a text is said", (peer) => attempt(() => peer.speak("Hello."))],
  ["all is silenced", (peer) => attempt(() => peer.cancel())],
  ["the microphone goes", () => browser.devices.opened.at(-1)?.end()],
  ["devices change", () => browser.devices.plug("a", "b")],
  ["the network goes", () => { browser.service.reachable = false; }],
  ["the network is back", () => { browser.service.reachable = true; }],
  ["media is blocked", () => { browser.service.mediaWorks = false; }],
  ["media is let through", () => { browser.service.mediaWorks = true; }],
  ["the service forgets", () => { browser.service.onJoin = () => ({ restored: false }); }],
  ["the service remembers", () => { browser.service.onJoin = () => ({ restored: true }); }],
];

const blow = fc.constantFrom(...BLOWS);
const pause = fc.constantFrom(0, 10, 350, 700, 3_000, 12_000);
const story = fc.array(fc.tuple(blow, pause), { maxLength: 12 });

/** Only what the application is told of may go wrong. */
function attempt(act: () => unknown): void {
  try {
    act();
  } catch (error) {
    expect(error).toMatchObject({ name: "VoicePeerError" });
  }
}

/** Set everything up anew, as often as one test needs it. */
async function fresh(): Promise<{ peer: VoicePeer; told: Told }> {
  browser.service.reachable = browser.service.mediaWorks = true;
  browser.service.onJoin = (join) => ({ restored: typeof join["resume_token"] === "string" });
  vi.clearAllTimers();
  browser.devices.opened = [];
  browser.service.sockets = [];
  browser.service.connections = [];
  browser.devices.microphones = [{ deviceId: "built-in", label: "Built-in" }];
  return call();
}

describe("a call", () => {
  it("is connected or over when everything works again, and leaves nothing behind", async () => {
    await fc.assert(fc.asyncProperty(story, async (blows) => {
      const { peer, told } = await fresh();
      for (const [[, strike], ms] of blows) {
        strike(peer);
        await pass(ms);
      }
      browser.service.reachable = browser.service.mediaWorks = true;
      if (peer.state === "interrupted" && browser.service.pc.connectionState === "disconnected") {
        browser.service.pc.become("connected");
      }
      await pass(100_000);
      expect(["connected", "closed"]).toContain(peer.state);
      expect(of(told, "closed").length).toBe(peer.state === "closed" ? 1 : 0);
      expectOneConnection(peer);
      peer.close();
      expect(peer.utterances).toEqual([]);
      await pass(100_000);
      expect(vi.getTimerCount()).toBe(0);
      expect(browser.devices.opened.every(({ readyState }) => readyState === "ended")).toBe(true);
    }), { numRuns: 50 });
  }, 60_000);

  it("tells its states in an order that makes sense", async () => {
    const after: Record<string, string[]> = {
      connecting: ["connected", "closed"], connected: ["interrupted", "closed"], interrupted: ["connected", "closed"], closed: [],
    };
    await fc.assert(fc.asyncProperty(story, async (blows) => {
      const { peer, told } = await fresh();
      for (const [[, strike], ms] of blows) {
        strike(peer);
        await pass(ms);
      }
      peer.close();
      const states = of(told, "state");
      for (const [index, state] of states.slice(1).entries()) expect(after[states[index] as string]).toContain(state);
      expect(states.at(-1)).toBe("closed");
      await pass(100_000);
    }), { numRuns: 20 });
  }, 60_000);

  it("can be hung up at any moment of its beginning", async () => {
    await fc.assert(fc.asyncProperty(fc.nat(40), async (turns) => {
      vi.clearAllTimers();
      browser.service.connections = [];
      browser.devices.opened = [];
      const peer = new VoicePeer({ url: "https://voice.example/", language: "en" });
      const told = listen(peer);
      const connecting = peer.connect().then(() => "connected", () => "refused");
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      peer.close();
      await pass(20_000);
      expect(["connected", "refused"]).toContain(await connecting);
      expect(of(told, "state").at(-1) ?? "closed").toBe("closed");
      expect(browser.service.connections.every(({ connectionState }) => connectionState === "closed")).toBe(true);
      expect(vi.getTimerCount()).toBe(0);
      expect(browser.devices.opened.every(({ readyState }) => readyState === "ended")).toBe(true);
    }), { numRuns: 60 });
  });
});

function expectOneConnection(peer: VoicePeer): void {
  const open = browser.service.connections.filter(({ connectionState }) => connectionState !== "closed");
  const sockets = browser.service.sockets.filter(({ readyState }) => readyState === 1);
  expect(open.length).toBe(peer.state === "connected" ? 1 : 0);
  expect(sockets.length).toBe(peer.state === "connected" ? 1 : 0);
}
