/** A fake browser around each test, with a clock that only a test moves. */

import { afterEach, beforeEach, vi } from "vitest";
import { VoicePeer, type CallEvents, type VoicePeerOptions } from "../../src/index.js";
import { FakeAudioContext, FakeDevices, FakeStream } from "./media.js";
import { FakePeerConnection, FakeService, FakeSocket } from "./service.js";

export interface Browser {
  service: FakeService;
  devices: FakeDevices;
  /** Answers to `fetch`, by the end of the path. */
  http: Record<string, (request: Request) => Response>;
  requests: Request[];
}

export const browser = {} as Browser;

/** Set the browser up anew for every test of a file. */
export function fakeBrowser(): void {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    browser.service = new FakeService();
    browser.devices = new FakeDevices();
    browser.http = { readyz: () => Response.json({ status: "ready" }) };
    browser.requests = [];
    FakeAudioContext.all = [];
    FakeAudioContext.blocked = false;
    FakeAudioContext.refused = [];
    FakePeerConnection.holdsBack = true;
    vi.stubGlobal("WebSocket", FakeSocket);
    vi.stubGlobal("RTCPeerConnection", FakePeerConnection);
    vi.stubGlobal("AudioContext", FakeAudioContext);
    vi.stubGlobal("MediaStream", FakeStream);
    vi.stubGlobal("fetch", fakeFetch);
    define(navigator, "mediaDevices", browser.devices);
    define(HTMLMediaElement.prototype, "play", async () => undefined);
    define(HTMLMediaElement.prototype, "srcObject", null);
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
}

/** Let time pass. */
export async function pass(ms = 0): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

/** A call that is connected, and what it has told so far. */
export async function call(options: VoicePeerOptions = {}): Promise<{ peer: VoicePeer; told: Told }> {
  const peer = new VoicePeer({ url: "https://voice.example/base/", language: "en", ...options });
  const told = listen(peer);
  const connecting = peer.connect();
  connecting.catch(() => undefined);
  await pass(50);
  await connecting;
  return { peer, told };
}

/** Names and details of events, in their order. */
export type Told = Array<[keyof CallEvents, unknown]>;

export function listen(peer: VoicePeer): Told {
  const told: Told = [];
  const emit = peer.emit.bind(peer);
  peer.emit = (name, detail) => {
    told.push([name, detail]);
    emit(name, detail);
  };
  return told;
}

/** Details of the events of a name. */
export function of<Name extends keyof CallEvents>(told: Told, name: Name): Array<CallEvents[Name]> {
  return told.filter(([one]) => one === name).map(([, detail]) => detail as CallEvents[Name]);
}

function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, configurable: true, writable: true });
}

async function fakeFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(url, init?.body ? { ...init, duplex: "half" } as RequestInit : init);
  browser.requests.push(request);
  const path = new URL(request.url).pathname;
  const answer = Object.entries(browser.http).find(([end]) => path.endsWith(end))?.[1];
  if (answer === undefined) throw new TypeError("nothing there");
  return answer(request);
}
