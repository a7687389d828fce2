/** Microphones and loudspeakers. */
/** One of them. */
export interface Device {
    id: string;
    /** Empty until a microphone was allowed once: browsers hide names from pages that may not listen. */
    label: string;
}
/** What can be chosen from. */
export interface Devices {
    microphones: Device[];
    outputs: Device[];
    /** Whether `outputs` can be chosen from; where not, only the system can (Safari, older Firefox). */
    canChooseOutput: boolean;
}
/** The raw voice clones best; echo is cancelled because we may be heard through loudspeakers. */
export declare const RAW_VOICE: MediaTrackConstraints;
/** All devices, the system's choice first. Those that have no id yet are left out. */
export declare function listDevices(): Promise<Devices>;
/** Whether a page can choose where sound is played. */
export declare function canChooseOutput(): boolean;
/** A microphone's sound; rejects with what the browser says (W3C mediacapture-streams, 10.2). */
export declare function openMicrophone(deviceId: string | null): Promise<MediaStreamTrack>;
