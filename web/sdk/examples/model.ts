import type { VoicePeer } from "@voicepeer/client";

/** Say what a language model writes, while it writes; gives how much of it was heard. */
export async function say(peer: VoicePeer, deltas: AsyncIterable<string>, light: (said: string) => void): Promise<string> {
  const utterance = peer.speak(deltas, { language: "auto" });
  let heard = "";
  for await (const { end } of utterance.words) {
    heard = utterance.text.slice(0, end);
    light(heard);
  }
  const { how, error } = await utterance.finished;
  if (how === "failed" && error) throw error;
  return heard;
}
