/** Notices that the other side says nothing any more. Pure: time is an argument. */
/** Told of every tick of a timer and of every message that comes. */
export declare class Liveness {
    #private;
    constructor(now: number);
    /** A message came. */
    heard(now: number): void;
    /** Whether the connection counts as lost at this tick. */
    lost(now: number): boolean;
}
