/** What state a call is in, and what changes it: one table. Pure. */
/** As the application sees it. */
export type CallState = "idle" | "connecting" | "connected" | "interrupted" | "closed";
/** `shaky`: media has stopped, or the socket takes long to come back; both may by themselves. `rejoining`: a new connection is made. */
export type Stage = "idle" | "connecting" | "connected" | "shaky" | "rejoining" | "closed";
/** What can happen to a call. */
export type Happening = "connect" | "established" | "media_stopped" | "media_flows" | "unreachable" | "lost" | "ended";
/** The stage after something has happened; where it has no meaning, nothing changes. */
export declare function next(stage: Stage, happening: Happening): Stage;
/** What the application is told of a stage. */
export declare function seen(stage: Stage): CallState;
/** Whether to come back after the service has said `bye` for this reason. */
export declare function isReturnable(reason: string): boolean;
