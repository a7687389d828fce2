/** Figures of the connection, from statistics as Chromium and Firefox give them. */

import { describe, expect, it } from "vitest";
import { type Counters, counters, digest } from "../src/stats.js";
import { browser, call, fakeBrowser } from "./kit/browser.js";

fakeBrowser();

const report = (...entries: Array<Record<string, unknown>>): Counters =>
  new Map(entries.map((entry) => [String(entry["id"]), entry]));

const INBOUND = {
  id: "in", type: "inbound-rtp", kind: "audio", timestamp: 10_000, packetsReceived: 950, packetsLost: 50, jitter: 0.004,
  jitterBufferDelay: 40, jitterBufferEmittedCount: 1_000, concealedSamples: 480, totalSamplesReceived: 48_000, bytesReceived: 60_000,
};
const OTHERS = [
  { id: "video", type: "inbound-rtp", kind: "video", packetsReceived: 1, jitter: 9 },
  { id: "out", type: "outbound-rtp", kind: "audio", timestamp: 10_000, bytesSent: 30_000 },
  { id: "far", type: "remote-inbound-rtp", kind: "audio", fractionLost: 0.02, roundTripTime: 0.09 },
  { id: "local", type: "local-candidate", candidateType: "relay" },
];
const CHROMIUM = report(INBOUND, ...OTHERS,
  { id: "transport", type: "transport", selectedCandidatePairId: "pair" },
  { id: "other", type: "candidate-pair", nominated: true, currentRoundTripTime: 7 },
  { id: "pair", type: "candidate-pair", currentRoundTripTime: 0.08, localCandidateId: "local" });

describe("figures", () => {
  it("are of the whole call at first, without bit rates", () => {
    expect(digest(CHROMIUM, null)).toEqual({
      rttMs: 80, lossPercent: 5, jitterMs: 4, playoutDelayMs: 40, concealedPercent: 1, receivedBps: null, sentBps: null,
      sentLossPercent: 2, relayed: true,
    });
  });

  it("are of the time since the last reading then", () => {
    const later = report(
      { ...INBOUND, timestamp: 12_000, packetsReceived: 1_050, packetsLost: 50, jitterBufferDelay: 48, jitterBufferEmittedCount: 1_100,
        concealedSamples: 480, totalSamplesReceived: 144_000, bytesReceived: 68_000 },
      { id: "out", type: "outbound-rtp", kind: "audio", timestamp: 12_000, bytesSent: 38_000 });
    expect(digest(later, CHROMIUM)).toEqual({
      rttMs: null, lossPercent: 0, jitterMs: 4, playoutDelayMs: 80, concealedPercent: 0, receivedBps: 32_000, sentBps: 32_000,
      sentLossPercent: null, relayed: null,
    });
  });

  it("count from nothing on a new connection", () => {
    const anew = report({ ...INBOUND, packetsReceived: 90, packetsLost: 10 });
    expect(digest(anew, CHROMIUM).lossPercent).toBe(10);
  });

  it("are found where Firefox has them", () => {
    const firefox = report(
      { id: "in", type: "inbound-rtp", mediaType: "audio", jitter: 0.01 },
      { id: "pair", type: "candidate-pair", selected: true, currentRoundTripTime: 0.02, localCandidateId: "host" },
      { id: "host", type: "local-candidate", candidateType: "host" });
    expect(digest(firefox, null)).toMatchObject({ rttMs: 20, jitterMs: 10, relayed: false, lossPercent: null, playoutDelayMs: null });
  });

  it("are none of an empty report, nor of odd values", () => {
    const none = digest(report(), null);
    expect(Object.values(none).every((value) => value === null)).toBe(true);
    expect(digest(report({ ...INBOUND, jitter: "4", packetsLost: Number.NaN, jitterBufferEmittedCount: 0 }), null)).toMatchObject(
      { jitterMs: null, lossPercent: null, playoutDelayMs: null });
  });

  it("come from a call", async () => {
    const { peer } = await call();
    browser.service.pc.report = new Map(CHROMIUM) as Map<string, Record<string, unknown>>;
    expect(await peer.stats()).toMatchObject({ rttMs: 80, receivedBps: null });
    expect(await peer.stats()).toMatchObject({ lossPercent: null, jitterMs: 4 });
    peer.close();
    expect(await peer.stats()).toBeNull();
    expect(counters(new Map() as unknown as RTCStatsReport).size).toBe(0);
  });
});
