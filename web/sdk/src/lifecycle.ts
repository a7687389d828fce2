/** What state a call is in, and what changes it: one table. Pure. */

/** As the application sees it. */
export type CallState = "idle" | "connecting" | "connected" | "interrupted" | "closed";

/** `shaky`: media has stopped, or the socket takes long to come back; both may by themselves. `rejoining`: a new connection is made. */
export type Stage = "idle" | "connecting" | "connected" | "shaky" | "rejoining" | "closed";

/** What can happen to a call. */
export type Happening =
  | "connect" | "established" | "media_stopped" | "media_flows" | "unreachable" | "lost" | "ended";

const TABLE: Readonly<Record<Stage, Partial<Record<Happening, Stage>>>> = {
  idle: { connect: "connecting", ended: "closed" },
  connecting: { established: "connected", lost: "closed", ended: "closed" },
  connected: { media_stopped: "shaky", unreachable: "shaky", lost: "rejoining", ended: "closed" },
  shaky: { media_flows: "connected", lost: "rejoining", ended: "closed" },
  rejoining: { established: "connected", ended: "closed" },
  closed: {},
};

const SEEN: Readonly<Record<Stage, CallState>> = {
  idle: "idle",
  connecting: "connecting",
  connected: "connected",
  shaky: "interrupted",
  rejoining: "interrupted",
  closed: "closed",
};

/** Ends after which the session can be won back, or another begun in its place. */
const RETURNABLE: ReadonlySet<string> = new Set([
  "channel_closed", "client_vanished", "connection_lost", "signaling_lost", "shutting_down",
]);

/** The stage after something has happened; where it has no meaning, nothing changes. */
export function next(stage: Stage, happening: Happening): Stage {
  return TABLE[stage][happening] ?? stage;
}

/** What the application is told of a stage. */
export function seen(stage: Stage): CallState {
  return SEEN[stage];
}

/** Whether to come back after the service has said `bye` for this reason. */
export function isReturnable(reason: string): boolean {
  return RETURNABLE.has(reason);
}
