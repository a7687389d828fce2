/** Client of a VoicePeer service for browsers: text in, a cloned voice out, as a live audio track. */

export type { CallEvents, CameBack, Closed } from "./call_events.js";
export { VoicePeer } from "./client.js";
export type { Resumption } from "./connection.js";
export { type Device, type Devices, canChooseOutput, listDevices, RAW_VOICE } from "./devices.js";
export type { Off } from "./emitter.js";
export type { Consent, Enrolment, EnrolmentProgress, LearnedVoice } from "./enrolment.js";
export { VoicePeerError } from "./errors.js";
export { LevelMeter, SILENCE_DBFS } from "./level.js";
export type { CallState } from "./lifecycle.js";
export type { Microphone, MicrophoneState } from "./microphone.js";
export type { Notice, NoticeCode } from "./notices.js";
export type { TokenSource, VoicePeerOptions } from "./options.js";
export type { Participant, Publishing, Recording, Room, RoomOptions, RoomView } from "./room.js";
export type { Speech } from "./speech.js";
export type { CallStats } from "./stats.js";
export { type Code, CODES, currentLanguage, type Fault, faultOf, type Language, setLanguage, textOf } from "./texts.js";
export type { Audible, Controls, Delivery, SpokenWord, Utterance, UtteranceEnd } from "./utterance.js";
export type { ChosenVoice, VoiceInfo, Voices } from "./voices.js";
export type * from "./wire.js";
