// Compiled by a test, never run: what the generated types must accept, and what they must not.
import {
  MAX_MESSAGE_BYTES,
  RTVI_LABEL,
  type Channel,
  type Envelope,
  type Realtime,
  type Signaling,
} from "../../web/sdk/src/wire";

const limit: 15000 = MAX_MESSAGE_BYTES;

export function request<Name extends keyof Channel.Requests>(
  name: Name,
  fields: Channel.Requests[Name],
): Envelope {
  return { label: RTVI_LABEL, type: "client-message", id: "1", data: { t: name, d: fields } };
}

request("utterance.speak", { utterance_id: "u", text: "Hi.", speed: 1.1, voice_id: null });
request("utterance.cancel", {});
// @ts-expect-error an utterance has an id
request("utterance.speak", { text: "Hi." });
// @ts-expect-error there is no such message
request("utterance.sing", {});
// @ts-expect-error RTVI's own are not wrapped
request("send-text", { content: "Hi." });

const sent: Channel.FromClient["send-text"] = { content: "Hi.", options: { run_immediately: false } };

export function heard(output: Channel.FromServer["bot-output"]): string {
  // @ts-expect-error what is being said need not be known
  const progress: string = output.spoken_progress.accumulated_text;
  return output.text + (output.spoken_progress?.remaining_text ?? progress);
}

export function told(name: "utterance.word", word: Channel.Events["utterance.word"]): number {
  return word.end_ms - word.start_ms + name.length;
}

export function event(one: Realtime.FromServer): string {
  switch (one.type) {
    case "response.output_audio_transcript.delta":
      return one.delta;
    case "response.done":
      return one.response.output?.[0]?.content?.[0]?.transcript ?? one.response.status;
    case "error":
      return one.error.code;
    default:
      return one.event_id;
  }
}

const join: Signaling.FromClient = { type: "join", room: "r" };
// @ts-expect-error an offer has a description
const offer: Signaling.FromClient = { type: "offer" };

export { join, limit, offer, sent };
