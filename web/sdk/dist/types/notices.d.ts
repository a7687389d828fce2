/** Things that happen in the browser or on the way, for a person to know. */
import { type Code, type Fault } from "./texts.js";
/** Codes of notices; each is the name of an event, too. */
export type NoticeCode = Extract<Code, `${"microphone" | "audio" | "page" | "output" | "connection" | "service"}.${string}`>;
/** What has happened, and what to do about it. */
export interface Notice {
    code: NoticeCode;
    message: string;
    fault: Fault;
    /** A name or a reason that belongs to it, such as that of a microphone. */
    detail: string;
}
/** Tells a notice. */
export type Notify = (code: NoticeCode, detail?: string) => void;
/** A notice in the language of the page. */
export declare function notice(code: NoticeCode, detail: string): Notice;
