import type { VoicePeer } from "@voicepeer/client";

/** Of lib-jitsi-meet, which is not published with its types: what is used of it here. */
export interface JitsiLocalTrack {
  dispose(): Promise<void>;
}

export interface JitsiConference {
  getLocalAudioTrack(): JitsiLocalTrack | null;
  replaceTrack(before: JitsiLocalTrack | null, after: JitsiLocalTrack | null): Promise<void>;
}

export interface JitsiMeet {
  createLocalTracksFromMediaStreams(
    sources: Array<{ stream: MediaStream; track: MediaStreamTrack; sourceType: string; mediaType: "audio" | "video" }>,
  ): JitsiLocalTrack[];
}

/** Let a Jitsi conference hear the cloned voice in place of the microphone; gives what undoes it. */
export async function replaceVoice(
  jitsi: JitsiMeet, conference: JitsiConference, peer: VoicePeer,
): Promise<() => Promise<void>> {
  // Jitsi stops the track that it is given when it disposes of it: a copy can be spared.
  const track = peer.speech.track?.clone();
  if (track === undefined) throw new Error("This browser has no Web Audio.");
  const microphone = conference.getLocalAudioTrack();
  const source = { stream: new MediaStream([track]), track, sourceType: "mic", mediaType: "audio" as const };
  const [voice = null] = jitsi.createLocalTracksFromMediaStreams([source]);
  await conference.replaceTrack(microphone, voice);
  return async () => {
    await conference.replaceTrack(voice, microphone);
    await voice?.dispose();
  };
}
