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
/** Figures of what happened between two readings; without an earlier one, since the call began. */
export declare function digest(now: Counters, before: Counters | null): CallStats;
/** Counters as a plain map, which `RTCStatsReport` is in all but its type. */
export declare function counters(report: RTCStatsReport): Counters;
