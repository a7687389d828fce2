import type { Participant, VoicePeer } from "@voicepeer/client";

/** What a page does with the room that its user is in. */
export interface Hall {
  /** Show who is there; `speaking`, `muted` and `isMe` say how. */
  show(people: readonly Participant[]): void;
  /** Somebody else's sound goes elsewhere than into the loudspeaker: into a mixer, say, or a meter. */
  hear?(track: MediaStreamTrack, from: Participant): void;
  left(reason: string): void;
}

/** Let the others in the room hear what this call says, and hear them; gives what leaves the room. */
export async function enterRoom(peer: VoicePeer, name: string, hall: Hall): Promise<() => Promise<void>> {
  const heard = new WeakMap<MediaStreamTrack, string>();
  peer.on("room", ({ participants }) => {
    hall.show(participants);
    for (const one of participants) {
      // A track stays, and brings somebody else when they begin to speak.
      if (one.track === null || heard.get(one.track) === one.id) continue;
      heard.set(one.track, one.id);
      hall.hear?.(one.track, one);
    }
  });
  peer.on("room.left", ({ reason }) => hall.left(reason));
  await peer.room.join({ publish: "voice", name, voices: 4, audible: hall.hear === undefined });
  return () => peer.room.leave();
}
