/** The room of a call: who is there, what is heard of whom, and how all of it comes back. */

import { beforeEach, describe, expect, it, test, vi } from "vitest";
import type { RoomView, VoicePeer } from "../src/index.js";
import { browser, call, fakeBrowser, of, pass, type Told } from "./kit/browser.js";
import { FakePeerConnection } from "./kit/service.js";

fakeBrowser();

type Fields = Record<string, unknown>;

const ADA = { participant: "a", name: "Ada", publish: "mic", muted: false };
const BOB = { participant: "b", name: "Bob", publish: "voice", muted: false };
const crowd = (size: number) => Array.from({ length: size }, (_, at) => ({ ...BOB, participant: `p${at}`, name: `P${at}` }));

const tell = (name: string, fields: Fields) => browser.service.channel.tell(name, fields);
const slots = (...held: (string | null)[]) =>
  tell("room.slots", { slots: held.map((participant, mid) => ({ mid: String(mid), participant })) });
const last = (told: Told) => of(told, "room").at(-1) as RoomView;
const offers = () => browser.service.sockets.flatMap(({ sent }) => sent).filter(({ type, connection }) => type === "offer" && connection === "room");

/** The service lets everybody in, who is then with Bob. */
beforeEach(() => {
  const { service } = browser;
  let mine = { ...ADA };
  service.answers["room.join"] = ({ publish = "mic", name = "Ada" }) => {
    mine = { ...mine, publish: publish as string, name: name as string };
    tell("room.joined", { participant: "a", manages: true });
    tell("room.roster", { participants: [BOB] });
    tell("room.roster", { participants: [mine] });
    return {};
  };
  service.answers["room.publish"] = ({ publish }) => {
    mine = { ...mine, publish: publish as string };
    tell("room.roster", { participants: [mine] });
    return {};
  };
  service.answers["room.mute"] = ({ muted }) => {
    mine = { ...mine, muted: muted as boolean };
    tell("room.roster", { participants: [mine] });
    return {};
  };
  service.answers["room.leave"] = () => {
    tell("room.left", { reason: "left" });
    return {};
  };
});

async function inRoom(options: Parameters<VoicePeer["room"]["join"]>[0] = {}): Promise<{ peer: VoicePeer; told: Told }> {
  const one = await call();
  await Promise.all([one.peer.room.join(options), pass(50)]);
  return one;
}

describe("being in a room", () => {
  it("tells who is there, and who may do what", async () => {
    const { peer, told } = await inRoom({ publish: "voice", name: "Lovelace" });
    expect(browser.service.got("room.join")).toEqual([{ publish: "voice", name: "Lovelace" }]);
    expect(peer.room.view).toMatchObject({ joined: true, manages: true });
    expect(peer.room.view.participants.map(({ id, isMe }) => [id, isMe])).toEqual([["b", false], ["a", true]]);
    expect(peer.room.me).toMatchObject({ name: "Lovelace", publish: "voice", muted: false });
    tell("room.speaking", { participants: ["b"] });
    expect(last(told).participants.map(({ speaking }) => speaking)).toEqual([true, false]);
    tell("room.gone", { participant: "b", reason: "left" });
    expect(last(told).participants.map(({ id }) => id)).toEqual(["a"]);
    expect(of(told, "room.gone")).toEqual([{ participant: "b", reason: "left" }]);
  });

  it("hears the others by a second connection, one track for each whom a section brings", async () => {
    const { peer, told } = await inRoom({ voices: 3 });
    tell("room.roster", { participants: crowd(9) });
    await pass(50);
    expect(offers()).toEqual([
      { type: "offer", sdp: "1 sections", connection: "room" }, { type: "offer", sdp: "3 sections", connection: "room" }]);
    expect(browser.service.ears.length).toBe(1);
    const candidates = browser.service.socket.sent.filter(({ type, connection }) => type === "candidate" && connection === "room");
    expect(candidates.length).toBe(2);
    expect(last(told).participants[0]?.track).toBeNull();
    slots(null, "b", null);
    expect(last(told).participants[0]?.track?.label).toBe("section 1");
    slots("b", null, null);
    expect(peer.room.view.participants[0]?.track?.label).toBe("section 0");
    slots(null, null, null);
    expect(peer.room.view.participants[0]?.track).toBeNull();
  });

  it("hears more over the same connection where more come, and as many as are wanted", async () => {
    const { peer } = await inRoom({ voices: 2 });
    tell("room.roster", { participants: crowd(4) });
    await pass(50);
    browser.service.answers["room.join"] = () => {
      tell("room.joined", { participant: "a" });
      tell("room.roster", { participants: [...crowd(4), BOB, ADA] });
      return {};
    };
    await Promise.all([peer.room.join({ voices: 6 }), pass(50)]);
    expect(offers().map(({ sdp }) => sdp)).toEqual(["1 sections", "2 sections", "6 sections"]);
    expect(browser.service.ears.length).toBe(1);
    slots(null, null, null, null, null, "b");
    expect(peer.room.view.participants.find(({ id }) => id === "b")?.track?.label).toBe("section 5");
    await Promise.all([peer.room.join({ voices: 1 }), pass(50)]);
    expect(offers().length).toBe(3);
  });

  it("opens no microphone where only something else is changed", async () => {
    const { peer } = await inRoom({ publish: "nothing", name: "Ada" });
    await Promise.all([peer.room.join({ voices: 4 }), pass(50)]);
    expect(browser.service.got("room.join").at(-1)).toEqual({ publish: "nothing", name: "Ada" });
    await Promise.all([peer.room.leave(), pass()]);
    await Promise.all([peer.room.join(), pass(50)]);
    expect(browser.service.got("room.join").at(-1)).toEqual({ publish: "mic" });
  });

  it("has the browser work for nobody who is not heard", async () => {
    const { peer } = await inRoom();
    tell("room.roster", { participants: crowd(7).map((one) => ({ ...one, publish: "nothing" })) });
    await pass(50);
    expect(offers().length).toBe(1);
    tell("room.roster", { participants: [{ ...BOB, participant: "p0" }] });
    await pass(50);
    expect(offers().map(({ sdp }) => sdp)).toEqual(["1 sections", "2 sections"]);
    expect(peer.room.view.participants.length).toBe(9);
  });

  it("makes the connection anew where hearing more over it was not answered", async () => {
    const { peer } = await inRoom();
    browser.service.onOffer = () => ({});
    tell("room.roster", { participants: crowd(1) });
    await pass(50);
    browser.service.onOffer = () => undefined;
    await pass(16_000);
    expect(browser.service.ears.map(({ connectionState }) => connectionState)).toEqual(["closed", "connected"]);
    slots(null, "b");
    expect(peer.room.view.participants[0]?.track?.label).toBe("section 1");
  });

  it("has every section hold sound back as long as is wanted, those that come later as well", async () => {
    const { peer } = await inRoom({ voices: 2 });
    const held = () => browser.service.ears.flatMap(({ receivers }) => receivers.map((one) => one.jitterBufferTarget));
    expect(held()).toEqual([60]);
    tell("room.roster", { participants: crowd(4) });
    await pass(50);
    expect(held()).toEqual([60, 60]);
    await Promise.all([peer.room.join({ bufferMs: 120 }), pass(50)]);
    expect(held()).toEqual([120, 120]);
    await Promise.all([peer.room.join({ voices: 3 }), pass(50)]);
    tell("room.roster", { participants: crowd(4) });
    await pass(50);
    expect(held()).toEqual([120, 120, 120]);
    browser.service.ears[0]?.become("failed");
    await pass(50);
    expect(held().slice(3)).toEqual([120, 120, 120]);
  });

  it("hears by browsers that cannot be told how long to hold sound back", async () => {
    FakePeerConnection.holdsBack = false;
    const { peer } = await inRoom({ bufferMs: 200 });
    slots("b");
    expect(peer.room.view.participants[0]?.track?.label).toBe("section 0");
    expect(browser.service.ears[0]?.receivers).toEqual([{}]);
  });

  it("needs no ears to speak", async () => {
    await inRoom({ voices: 0 });
    expect(offers()).toEqual([]);
  });

  it("plays the others unless they are heard elsewhere, through the output of the voice", async () => {
    const played: HTMLMediaElement[] = [];
    const sinks = new Map<HTMLMediaElement, string>();
    HTMLMediaElement.prototype.play = async function play() { played.push(this); };
    HTMLMediaElement.prototype.setSinkId = async function setSinkId(id) { sinks.set(this, id); };
    const { peer } = await inRoom();
    tell("room.roster", { participants: crowd(1) });
    await pass(50);
    const others = new Set(played.slice(-2));
    expect([...others].map(({ muted }) => muted)).toEqual([false, false]);
    await peer.speech.setOutput("headset");
    expect([...others].map((one) => sinks.get(one))).toEqual(["headset", "headset"]);
    await Promise.all([peer.room.join({ audible: false }), pass(50)]);
    tell("room.roster", { participants: crowd(3) });
    await pass(50);
    expect([...others].map(({ muted }) => muted)).toEqual([true, true]);
    expect(played.at(-1)?.muted).toBe(true);
    expect(sinks.get(played.at(-1) as HTMLMediaElement)).toBe("headset");
    Reflect.deleteProperty(HTMLMediaElement.prototype, "setSinkId");
  });

  it("changes what the others hear", async () => {
    const { peer } = await inRoom();
    await Promise.all([peer.room.publish("nothing"), pass()]);
    expect(peer.room.me?.publish).toBe("nothing");
    await Promise.all([peer.room.mute(true), pass()]);
    expect(peer.room.me?.muted).toBe(true);
    expect(browser.service.got("room.mute")).toEqual([{ muted: true }]);
    await Promise.all([peer.room.mute(true, "b"), peer.room.kick("b"), peer.room.end(), pass()]);
    expect(browser.service.got("room.mute").at(-1)).toEqual({ muted: true, participant: "b" });
    expect(browser.service.got("room.kick")).toEqual([{ participant: "b" }]);
    expect(browser.service.got("room.end")).toEqual([{}]);
  });

  it("ends by leaving, with the connection that hears", async () => {
    const { peer, told } = await inRoom();
    await Promise.all([peer.room.leave(), pass()]);
    expect(last(told)).toEqual({ joined: false, manages: false, records: false, recording: null, participants: [] });
    expect(browser.service.ears[0]?.connectionState).toBe("closed");
    expect(peer.state).toBe("connected");
    await Promise.all([peer.room.join(), pass(50)]);
    expect(browser.service.ears.length).toBe(2);
    peer.close();
    expect(browser.service.ears[1]?.connectionState).toBe("closed");
    expect(peer.room.view.joined).toBe(false);
    await pass(70_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is refused with a code, and changes nothing then", async () => {
    const { peer, told } = await call();
    browser.service.answers["room.join"] = () => "forbidden";
    const refused = expect(peer.room.join()).rejects.toMatchObject({ code: "forbidden", fault: "user" });
    await pass();
    await refused;
    expect(peer.room.view.joined).toBe(false);
    expect(of(told, "error")).toEqual([]);
    browser.service.answers["room.kick"] = () => "participant_not_found";
    const late = expect(peer.room.kick("x")).rejects.toMatchObject({ code: "participant_not_found", message: "They are in the room no more." });
    await pass();
    await late;
  });

  test.each([
    [{ bufferMs: 4_001 }, /0 to 4000/], [{ bufferMs: -1 }, /0 to 4000/], [{ bufferMs: 0.5 }, /"bufferMs" has to be of type integer/],
    [{ voices: 17 }, /0 to 16/], [{ voices: -1 }, /0 to 16/], [{ voices: "3" }, /"voices" has to be of type integer/],
    [{ publish: "video" }, /one of mic, voice, nothing/], [{ volume: 1 }, /there is no "volume"/], [null, /settings are an object/],
  ])("is not asked for with %j", async (options, why) => {
    const { peer } = await call();
    await expect(peer.room.join(options as never)).rejects.toMatchObject({ code: "misuse", detail: expect.stringMatching(why) });
    expect(browser.service.got("room.join")).toEqual([]);
  });
});

describe("a recording", () => {
  it("is asked for, agreed to, told of and ended", async () => {
    const { peer, told } = await inRoom();
    expect(peer.room.view).toMatchObject({ records: false, recording: null });
    tell("room.joined", { participant: "a", manages: true, records: true });
    tell("room.recording", { state: "asked", recording_id: "r", by: "b" });
    expect(last(told)).toMatchObject({ records: true, recording: { state: "asked", by: "b", recorded: [], answer: null } });
    await Promise.all([peer.room.agreeToRecording(true), pass()]);
    tell("room.recording", { state: "on", recording_id: "r", by: "b", recorded: ["a"], answer: true });
    expect(last(told).recording).toEqual({ id: "r", state: "on", by: "b", recorded: ["a"], answer: true });
    await Promise.all([peer.room.agreeToRecording(false, { keep: true }), peer.room.record(false), pass()]);
    expect(browser.service.got("room.consent_recording")).toEqual([{ agree: true }, { agree: false, keep: true }]);
    expect(browser.service.got("room.record")).toEqual([{ on: false }]);
    tell("room.recording", { state: "off", recording_id: "r", reason: "stopped" });
    await Promise.all([peer.room.withdrawFromRecording("r"), pass()]);
    expect(browser.service.got("room.withdraw_recording")).toEqual([{ recording_id: "r" }]);
    expect(last(told).recording).toBeNull();
    expect(of(told, "room.recording").at(-1)).toMatchObject({ reason: "stopped" });
  });

  it("is nothing that goes on for whoever is out of the room", async () => {
    const { peer } = await inRoom();
    tell("room.recording", { state: "on", recording_id: "r" });
    tell("room.left", { reason: "kicked" });
    expect(peer.room.view.recording).toBeNull();
  });
});

describe("whoever was put out", () => {
  test.each(["kicked", "room_ended", "replaced", "token_expired"])("by %s is told so, and does not come back", async (reason) => {
    const { peer, told } = await inRoom();
    tell("room.left", { reason });
    expect(of(told, "room.left")).toEqual([{ reason }]);
    expect(last(told).joined).toBe(false);
    browser.service.onJoin = () => ({ restored: false });
    browser.service.channel.break();
    await pass(1_000);
    expect(peer.state).toBe("connected");
    expect(browser.service.got("room.join").length).toBe(1);
  });
});

describe("ears", () => {
  it("are made anew when they are lost", async () => {
    const { peer } = await inRoom({ voices: 2 });
    slots("b", null);
    const before = peer.room.view.participants[0]?.track;
    browser.service.ears[0]?.become("failed");
    await pass(100);
    expect(browser.service.ears.map(({ connectionState }) => connectionState)).toEqual(["closed", "connected"]);
    expect(peer.room.view.participants[0]?.track).not.toBe(before);
    expect(peer.room.view.participants[0]?.track?.label).toBe("section 0");
  });

  it("are tried for again where no connection comes about, and given up after a minute", async () => {
    const { peer, told } = await call();
    browser.service.mediaWorks = false;
    await Promise.all([peer.room.join(), pass(20_000)]);
    expect(offers().length).toBe(2);
    await pass(80_000);
    expect(of(told, "error").map(({ code }) => code)).toEqual(["no_connection"]);
    expect(browser.service.ears.every(({ connectionState }) => connectionState === "closed")).toBe(true);
    expect(peer.state).toBe("connected");
  });

  it("that the service refuses are told of", async () => {
    browser.service.onOffer = ({ connection }) =>
      (connection === "room" ? { type: "error", code: "forbidden", message: "no" } : undefined);
    const { told, peer } = await inRoom();
    expect(of(told, "error").map(({ code }) => code)).toEqual(["forbidden"]);
    expect(peer.room.view.joined).toBe(true);
    await pass(60_000);
    expect(offers().length).toBe(1);
  });

  it("wait for the socket, and for an answer that was lost with it", async () => {
    const { service } = browser;
    service.onOffer = ({ connection }) => (connection === "room" ? {} : undefined);
    const { peer } = await inRoom();
    service.onOffer = () => undefined;
    service.onJoin = () => ({ resumed: true });
    service.socket.break();
    await pass(20_000);
    expect(peer.state).toBe("connected");
    slots("b");
    expect(peer.room.view.participants[0]?.track?.label).toBe("section 0");
  });

  it("do not take an error of something else for theirs", async () => {
    const { told } = await inRoom();
    browser.service.socket.say({ type: "error", code: "bad_message", message: "no" });
    expect(of(told, "error").map(({ code }) => code)).toEqual(["bad_message"]);
    slots("b");
    expect(last(told).participants[0]?.track).not.toBeNull();
  });
});

describe("after a lost connection", () => {
  it("the service has kept the place: only ears are made anew", async () => {
    const { peer, told } = await inRoom({ voices: 2 });
    const { service } = browser;
    slots("b", null);
    service.channel.break();
    expect(last(told)).toMatchObject({ joined: true, participants: [{ track: null }, { track: null }] });
    await pass(1_000);
    tell("room.joined", { participant: "a", manages: true });
    tell("room.roster", { participants: [ADA] });
    await pass(50);
    slots("b", null);
    expect(service.got("room.join").length).toBe(1);
    expect(service.ears.map(({ connectionState }) => connectionState)).toEqual(["closed", "connected"]);
    expect(peer.room.view.participants.map(({ id }) => id)).toEqual(["a"]);
  });

  it("a new session joins again, with what was published", async () => {
    const { peer } = await inRoom({ publish: "mic", name: "Ada" });
    await Promise.all([peer.room.publish("voice"), pass()]);
    browser.service.onJoin = () => ({ restored: false });
    browser.service.channel.break();
    await pass(1_000);
    expect(browser.service.got("room.join").at(-1)).toEqual({ publish: "voice", name: "Ada" });
    expect(browser.service.ears.at(-1)?.connectionState).toBe("connected");
  });

  it("nothing is heard of whoever was muted, not even for a moment", async () => {
    const { peer } = await inRoom();
    await Promise.all([peer.room.mute(true), pass()]);
    browser.service.messages.length = 0;
    browser.service.onJoin = () => ({ restored: false });
    browser.service.channel.break();
    await pass(1_000);
    const asked = browser.service.messages.filter(({ name }) => name.startsWith("room.")).map(({ name, fields }) => [name, fields]);
    expect(asked).toEqual([["room.join", { publish: "nothing" }], ["room.mute", { muted: true }], ["room.publish", { publish: "mic" }]]);
    expect(peer.room.me).toMatchObject({ muted: true, publish: "mic" });
  });

  it("a room that does not take one back is told of", async () => {
    const { peer, told } = await inRoom();
    browser.service.answers["room.join"] = () => "forbidden";
    browser.service.onJoin = () => ({ restored: false });
    browser.service.channel.break();
    await pass(1_000);
    expect(peer.state).toBe("connected");
    expect(of(told, "error").map(({ code }) => code)).toEqual(["forbidden"]);
    expect(last(told).joined).toBe(false);
  });

  it("whoever goes on after a reload is in the room without asking", async () => {
    const { peer } = await call({ resume: { token: "t", clientId: "c" } });
    tell("room.joined", { participant: "a" });
    tell("room.roster", { participants: [{ ...ADA, publish: "voice" }] });
    await pass(50);
    expect(peer.room.me?.publish).toBe("voice");
    expect(browser.service.ears.at(-1)?.connectionState).toBe("connected");
    browser.service.onJoin = () => ({ restored: false });
    browser.service.channel.break();
    await pass(1_000);
    expect(browser.service.got("room.join")).toEqual([{ publish: "voice" }]);
  });
});
