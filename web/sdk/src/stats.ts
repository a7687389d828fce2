/** What a call's connection is like, from WebRTC statistics (W3C webrtc-stats). Pure. */

/** Figures since the reading before; `null` where the browser does not tell. */
export interface CallStats {
  rttMs: number | null;
  /** Of the speech that comes. */
  lossPercent: number | null;
  jitterMs: number | null;
  /** From the arrival of a packet to its being played: the jitter buffer. */
  playoutDelayMs: number | null;
  /** Of the speech that comes, made up by the browser because it was missing. */
  concealedPercent: number | null;
  receivedBps: number | null;
  /** Of the microphone. */
  sentBps: number | null;
  /** Of the microphone, as the service tells. */
  sentLossPercent: number | null;
  /** Whether a TURN server is between. */
  relayed: boolean | null;
}

/** One reading of all counters. */
export type Counters = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

type Entry = Readonly<Record<string, unknown>>;

/** Figures of what happened between two readings; without an earlier one, since the call began. */
export function digest(now: Counters, before: Counters | null): CallStats {
  const inbound = find(now, "inbound-rtp", isAudio);
  const outbound = find(now, "outbound-rtp", isAudio);
  const remote = find(now, "remote-inbound-rtp", isAudio);
  const pair = chosenPair(now);
  const since = (entry: Entry | undefined, name: string) => change(entry, before, name);
  const received = since(inbound, "packetsReceived");
  const lost = since(inbound, "packetsLost");
  return {
    rttMs: ms(number(pair, "currentRoundTripTime") ?? number(remote, "roundTripTime")),
    lossPercent: percent(lost, sum(received, lost)),
    jitterMs: ms(number(inbound, "jitter")),
    playoutDelayMs: ms(ratio(since(inbound, "jitterBufferDelay"), since(inbound, "jitterBufferEmittedCount"))),
    concealedPercent: percent(since(inbound, "concealedSamples"), since(inbound, "totalSamplesReceived")),
    receivedBps: bitrate(inbound, before, "bytesReceived"),
    sentBps: bitrate(outbound, before, "bytesSent"),
    sentLossPercent: scaled(number(remote, "fractionLost"), 100),
    relayed: isRelayed(now, pair),
  };
}

/** Counters as a plain map, which `RTCStatsReport` is in all but its type. */
export function counters(report: RTCStatsReport): Counters {
  const entries = new Map<string, Entry>();
  report.forEach((entry: Entry, id: string) => entries.set(id, entry));
  return entries;
}

function find(report: Counters, type: string, fits: (entry: Entry) => boolean): Entry | undefined {
  for (const entry of report.values()) if (entry["type"] === type && fits(entry)) return entry;
  return undefined;
}

function isAudio(entry: Entry): boolean {
  return (entry["kind"] ?? entry["mediaType"]) === "audio";
}

function chosenPair(report: Counters): Entry | undefined {
  const id = find(report, "transport", () => true)?.["selectedCandidatePairId"];
  if (typeof id === "string") return report.get(id);
  // Firefox has no transport statistics, and says it of the pair.
  return find(report, "candidate-pair", (pair) => pair["selected"] === true || pair["nominated"] === true);
}

function isRelayed(report: Counters, pair: Entry | undefined): boolean | null {
  const local = report.get(String(pair?.["localCandidateId"]));
  return local === undefined ? null : local["candidateType"] === "relay";
}

function number(entry: Entry | undefined, name: string): number | null {
  const value = entry?.[name];
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function change(entry: Entry | undefined, before: Counters | null, name: string): number | null {
  const value = number(entry, name);
  if (value === null) return null;
  const earlier = number(before?.get(String(entry?.["id"])), name) ?? 0;
  return value >= earlier ? value - earlier : value; // A new connection counts from 0.
}

function bitrate(entry: Entry | undefined, before: Counters | null, name: string): number | null {
  const elapsedMs = before === null ? null : change(entry, before, "timestamp");
  const bytes = change(entry, before, name);
  const known = before?.has(String(entry?.["id"])) ?? false;
  return known ? scaled(ratio(bytes, elapsedMs), 8_000) : null;
}

function sum(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other;
}

function ratio(part: number | null, whole: number | null): number | null {
  return part === null || whole === null || whole <= 0 ? null : part / whole;
}

function percent(part: number | null, whole: number | null): number | null {
  return scaled(ratio(part, whole), 100);
}

function ms(seconds: number | null): number | null {
  return scaled(seconds, 1_000);
}

function scaled(value: number | null, factor: number): number | null {
  return value === null ? null : value * factor;
}
