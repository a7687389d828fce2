import { type LocalParticipant, Track } from "livekit-client";
import type { VoicePeer } from "@voicepeer/client";

/** Let a LiveKit room hear the cloned voice as this participant's microphone; gives what undoes it. */
export async function publishVoice(participant: LocalParticipant, peer: VoicePeer): Promise<() => Promise<void>> {
  const voice = peer.speech.track;
  if (voice === null) throw new Error("This browser has no Web Audio.");
  const microphone = participant.getTrackPublication(Track.Source.Microphone)?.track;
  if (microphone) await participant.unpublishTrack(microphone);
  await participant.publishTrack(voice, { source: Track.Source.Microphone, name: "voice", dtx: false });
  return async () => {
    await participant.unpublishTrack(voice, false); // It is the call's, and goes on.
    await participant.setMicrophoneEnabled(true);
  };
}
