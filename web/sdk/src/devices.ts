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
export const RAW_VOICE: MediaTrackConstraints = {
  echoCancellation: true, noiseSuppression: false, autoGainControl: false, channelCount: 1,
};

/** All devices, the system's choice first. Those that have no id yet are left out. */
export async function listDevices(): Promise<Devices> {
  const all = await navigator.mediaDevices?.enumerateDevices() ?? [];
  const of = (kind: MediaDeviceKind) => all.filter((one) => one.kind === kind && one.deviceId !== "").map(
    ({ deviceId, label }) => ({ id: deviceId, label }));
  return { microphones: of("audioinput"), outputs: of("audiooutput"), canChooseOutput: canChooseOutput() };
}

/** Whether a page can choose where sound is played. */
export function canChooseOutput(): boolean {
  return typeof HTMLMediaElement !== "undefined" && "setSinkId" in HTMLMediaElement.prototype;
}

/** A microphone's sound; rejects with what the browser says (W3C mediacapture-streams, 10.2). */
export async function openMicrophone(deviceId: string | null): Promise<MediaStreamTrack> {
  const wish = deviceId === null ? {} : { deviceId: { exact: deviceId } };
  const stream = await navigator.mediaDevices.getUserMedia({ audio: { ...RAW_VOICE, ...wish } });
  return stream.getAudioTracks()[0] as MediaStreamTrack;
}
