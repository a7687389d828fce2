import { VoicePeer } from "@voicepeer/client";

/** Where the service is, and what the page does with messages for its user. */
export interface Setting {
  service: string;
  token?: () => Promise<string>;
  tell: (message: string) => void;
}

/** Put a cloned voice in the place of the microphone. To be called in a click, or nothing sounds. */
export async function speakForMe(sender: RTCRtpSender, { service, token, tell }: Setting): Promise<VoicePeer> {
  const peer = new VoicePeer({ url: service, audible: false, ...(token && { token }) });
  peer.on("notice", ({ message }) => tell(message));
  await peer.connect();

  const consent = "I am the person speaking, and I agree that my voice is cloned for this call.";
  const enrolment = peer.enrol({ consent, consentVersion: 1 });
  for await (const { share, hint } of enrolment) tell(hint ?? `${Math.round(100 * share)} % heard`);
  await enrolment.ready;

  const microphone = sender.track;
  await sender.replaceTrack(peer.speech.track);
  peer.on("closed", ({ message }) => {
    tell(message);
    void sender.replaceTrack(microphone);
  });
  return peer;
}
