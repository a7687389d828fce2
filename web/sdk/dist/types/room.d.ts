/** A call's part in its room: who is there, what the others hear of it, and what it hears of them. */
import { type EarsPort } from "./ears.js";
import type { Channel } from "./wire.js";
/** What the others hear of somebody: the microphone, what is said in the voice of the call, or nothing. */
export type Publishing = Channel.RoomParticipant["publish"];
/** One who is in the room. */
export interface Participant {
    id: string;
    name: string;
    publish: Publishing;
    muted: boolean;
    /** Sound over the level of noise comes of them. */
    speaking: boolean;
    isMe: boolean;
    /** Their sound, while one of the `voices` is theirs; another one when that has changed. */
    track: MediaStreamTrack | null;
}
/** That the room is recorded, or shall be. Nobody is recorded who has not agreed. */
export interface Recording {
    /** For `withdrawFromRecording`, also when it has ended. */
    id: string;
    /** `on` is that somebody is recorded: show that all the time. */
    state: "asked" | "on";
    /** Who has asked for it, and who is recorded, by their ids. */
    by: string | null;
    recorded: readonly string[];
    /** Whether you agree; ask your user where it is `null`. */
    answer: boolean | null;
}
/** The room at one moment. */
export interface RoomView {
    joined: boolean;
    /** Whether you may mute others and put them out. */
    manages: boolean;
    /** Whether you may have the room recorded. */
    records: boolean;
    recording: Recording | null;
    /** You among them; those who came first are first. */
    participants: readonly Participant[];
}
/** How to be in a room. */
export interface RoomOptions {
    /** The microphone unless said otherwise. */
    publish?: Publishing;
    /** Whom the others see; by default the name of the call. */
    name?: string;
    /** How many others are heard at once at most, 8 by default; 16 at most. Whoever begins to speak has a place. */
    voices?: number;
    /** Play them here. On by default. */
    audible?: boolean;
    /**
     * How long to hold their sound back at least, for packets that are late: 60 ms by default, 4,000 at most. The
     * browser takes longer where it needs to. With less they are heard sooner, and break up more often.
     */
    bufferMs?: number;
}
/** What a room needs of its call. */
export interface RoomPort extends Omit<EarsPort, "changed"> {
    ask<Name extends keyof Channel.Requests>(name: Name, fields: Channel.Requests[Name]): Promise<unknown>;
    changed(view: RoomView): void;
}
/** The room that the call's `room` names. All methods reject with a `VoicePeerError`. */
export declare class Room {
    #private;
    constructor(port: RoomPort);
    /** Who is there, and how. */
    get view(): RoomView;
    /** Yourself, where you are in the room. */
    get me(): Participant | null;
    /**
     * Let the others hear you, and hear them; the event `room` tells of every change. Inside, it changes
     * what is given here, and nothing else. After a lost connection you are in it again by yourself, muted if you were.
     */
    join(options?: RoomOptions): Promise<void>;
    /** Leave it; the call goes on. */
    leave(): Promise<void>;
    /** Let the others hear something else. */
    publish(publish: Publishing): Promise<void>;
    /**
     * Let the others hear nothing of you, or hear you again; the service still does. With the right to
     * manage, another one can be muted, which only they themselves can end.
     */
    mute(muted: boolean, participant?: string): Promise<void>;
    /** Put somebody out for a while, with the right to manage. */
    kick(participant: string): Promise<void>;
    /** Put everybody out, with the right to manage. */
    end(): Promise<void>;
    /** Ask everybody for a recording, or end it, where `records` says that you may. */
    record(on?: boolean): Promise<void>;
    /**
     * Say whether your user may be recorded, from now on or no longer. What was recorded of them is deleted
     * when they no longer agree, unless they let the service `keep` it.
     */
    agreeToRecording(agree: boolean, { keep }?: {
        keep?: boolean;
    }): Promise<void>;
    /**
     * Have what was recorded of your user deleted, also when the recording has ended: by its `id`, from the
     * same call or another one of the same subject.
     */
    withdrawFromRecording(id: string): Promise<void>;
}
