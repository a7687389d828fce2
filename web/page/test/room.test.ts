// @vitest-environment happy-dom
import { VoicePeerError } from "@voicepeer/client";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Call } from "../src/call.js";
import { choice, choose } from "../src/keeping.js";
import { INITIAL, type PageEvent, type PageState, type Person, type Room, reduce } from "../src/state.js";
import { Store } from "../src/store.js";
import { room } from "../src/views/room.js";
import { welcome } from "../src/views/welcome.js";
import { ScriptedPeer } from "./scripted_peer.js";
import { type Rig, SPEAKING, rig } from "./setup.js";

vi.mock("@voicepeer/client", async (original) => {
  const { ScriptedPeer: VoicePeer } = await import("./scripted_peer.js");
  return { ...await original<object>(), VoicePeer };
});

const ADA: Person = { id: "a", name: "Ada", publish: "voice", muted: false, speaking: false, isMe: true };
const BOB: Person = { id: "b", name: "Bob", publish: "mic", muted: false, speaking: false, isMe: false };
const inside = (...participants: Person[]): Room => ({ joined: true, manages: false, records: false, recording: null, participants });
const seen = (...participants: Person[]): PageEvent => ({ type: "room", view: inside(...participants) });

const goTo = vi.fn();

describe("a call", () => {
  let store: Store<PageState, PageEvent>;
  let peer: ScriptedPeer;

  async function started(joinOnly = false): Promise<Call> {
    store = new Store<PageState, PageEvent>(INITIAL, reduce);
    store.send({ type: "start" });
    const call = new Call(store, {
      key: null, player: document.createElement("audio"), consent: "I agree.", kept: null, room: "hall", name: "Ada", joinOnly, goTo,
    });
    peer = ScriptedPeer.last;
    peer.listed = [{ id: "nova", name: "Nova", kind: "stock", expiresAt: null }];
    await call.start();
    return call;
  }

  it("is in the room that it was made for, under the name that was given", async () => {
    await started();
    expect(peer.options).toMatchObject({ room: "hall", name: "Ada" });
  });

  it("lets the others hear what is typed, in whatever voice there is", async () => {
    const call = await started();
    expect(await call.enter("Ada")).toBe(true);
    expect(peer.asked).toContainEqual(["room.join", { publish: "voice", name: "Ada" }]);
  });

  it("has what was recorded of the visitor deleted, and says so only when that was done", async () => {
    const call = await started();
    store.send({ type: "room", view: { ...inside(ADA), recording: { id: "r", state: "on", by: "a", recorded: ["a"], answer: true } } });
    store.send({ type: "room", view: inside(ADA) });
    peer.refused.set("room.withdraw", new VoicePeerError("recording_unavailable"));
    await call.withdraw("r");
    expect(store.state).toMatchObject({ recordedIn: "r", alert: { code: "recording_unavailable" } });
    peer.refused.clear();
    await call.withdraw("r");
    expect(peer.asked.filter(([what]) => what === "room.withdraw")).toEqual([["room.withdraw", "r"], ["room.withdraw", "r"]]);
    expect(store.state).toMatchObject({ recordedIn: null, alert: { code: "recording-withdrawn" } });
  });

  it("that only joins learns nothing, and lets the others hear the microphone, if there is one", async () => {
    const call = await started(true);
    expect(peer.asked.map(([what]) => what)).not.toContain("enrol");
    expect(store.state).toMatchObject({ phase: "speaking", current: { id: "nova" } });
    await call.enter("");
    expect(peer.asked).toContainEqual(["room.join", { publish: "mic", name: "" }]);
    peer.microphone.state = "denied";
    await call.enter("");
    expect(peer.asked.at(-1)).toEqual(["room.join", { publish: "voice", name: "" }]);
  });

  it("tells the page who is there, and not by which track they are heard", async () => {
    await started();
    peer.happen("room", { ...inside(), participants: [{ ...BOB, track: {} }] });
    expect(store.state.room).toEqual(inside(BOB));
    peer.happen("closed", { reason: "internal" });
    expect(store.state.room.joined).toBe(false);
  });

  it("tells why one is not in the room any more, unless one has left it", async () => {
    const call = await started();
    peer.happen("room.left", { reason: "left" });
    expect(store.state.alert).toBeNull();
    peer.happen("room.left", { reason: "kicked" });
    expect(store.state.alert).toMatchObject({ code: "kicked", tone: "notice" });
    await call.enter("");
    expect(store.state.alert).toBeNull();
  });

  it("tells that a recording has ended", async () => {
    await started();
    peer.happen("room.recording", { state: "on" });
    peer.happen("room.recording", { state: "off", reason: null }); // To somebody outside, who has withdrawn.
    expect(store.state.alert).toBeNull();
    peer.happen("room.recording", { state: "off", reason: "stopped" });
    expect(store.state.alert).toMatchObject({ code: "recording-ended", tone: "notice" });
  });

  it("goes to the service that has the room", async () => {
    const call = await started();
    expect(peer.options).toMatchObject({ follow: false });
    expect(goTo).not.toHaveBeenCalled();
    peer.refused.set("connect", new VoicePeerError("room_elsewhere", { detail: "https://b.example" }));
    await call.start();
    expect(goTo).toHaveBeenCalledExactlyOnceWith("https://b.example");
    expect(store.state).toMatchObject({ alert: { code: "room_elsewhere" } });
  });

  it("tells why one cannot join", async () => {
    const call = await started();
    peer.refused.set("room.join", new VoicePeerError("forbidden"));
    expect(await call.enter("")).toBe(false);
    expect(store.state.alert).toMatchObject({ code: "forbidden", about: "room" });
  });

  it("turns the microphone on before others are to hear it", async () => {
    const call = await started();
    peer.asked.length = 0;
    await call.publish("mic");
    expect(peer.asked).toEqual([["room.publish", "mic"]]);
    peer.microphone.state = "denied";
    await call.publish("mic");
    await call.publish("nothing");
    expect(peer.asked.slice(1)).toEqual([["microphone"], ["room.publish", "nothing"]]);
  });

  it("has another name shown without changing what is heard", async () => {
    const call = await started();
    peer.room.me = { publish: "mic" };
    await call.rename("Eve");
    expect(peer.asked.at(-1)).toEqual(["room.join", { publish: "mic", name: "Eve" }]);
  });
});

describe("the page", () => {
  let page: Rig;
  const part = (id: string) => document.querySelector(`[data-testid="${id}"]`) as HTMLButtonElement;
  const people = () => [...document.querySelectorAll<HTMLElement>("[data-testid=person]")];
  const click = (element: Element | null | undefined) => (element as HTMLElement).click();

  beforeEach(() => {
    page = rig(room, welcome);
    page.words.language = "en";
  });

  it("shows nothing of a room to whoever is alone but a way to invite others", () => {
    expect([part("invited").hidden, part("name-field").hidden, part("join-only").hidden]).toEqual([true, true, true]);
    page.send(...SPEAKING);
    expect([part("room").hidden, part("invite").hidden]).toEqual([true, false]);
    expect(part("invite").textContent).toBe("Invite others");
    click(part("invite"));
    expect(page.asked).toEqual([["enter"]]);
  });

  it("tells whoever is invited, asks for a name, and lets them join without a voice of theirs", () => {
    page.send({ type: "invited" });
    expect([part("invited").hidden, part("name-field").hidden, part("join-only").hidden]).toEqual([false, false, false]);
    const name = document.querySelector("[data-testid=name]") as HTMLInputElement;
    name.value = " Ada ";
    name.dispatchEvent(new Event("change"));
    expect(choice("name")).toBe("Ada");
    click(part("join-only"));
    expect(page.asked).toEqual([["start", "", true]]);
    page.send(...SPEAKING);
    expect(part("invite").textContent).toBe("Join the room");
  });

  it("asks nothing again of whoever comes back to a call", () => {
    page.send({ type: "invited" }, { type: "found", resumable: true });
    expect([part("invited").hidden, part("join-only").hidden]).toEqual([true, true]);
  });

  it("shows who is there, who speaks, who is muted and who only listens", () => {
    page.send(...SPEAKING, seen({ ...BOB, speaking: true }, ADA, { ...BOB, id: "c", name: "", publish: "nothing" }));
    expect([part("room").hidden, part("invite").hidden]).toEqual([false, true]);
    expect(part("room-title").textContent).toBe("In the room: 3");
    expect(people().map((item) => item.textContent)).toEqual(["Bobspeaking", "Ada (you)", "Guestlistens"]);
    expect(people().map((item) => item.dataset["speaking"])).toEqual(["true", "false", "false"]);
    page.send(seen({ ...BOB, muted: true, speaking: true }, ADA));
    expect(people().map((item) => item.textContent)).toEqual(["Bobmuted", "Ada (you)"]);
  });

  it("lets only those who may mute others and put them out", () => {
    page.send(...SPEAKING, seen(BOB, ADA));
    const buttons = () => [...(people()[0] as HTMLElement).querySelectorAll("button")];
    expect(buttons().map(({ hidden }) => hidden)).toEqual([true, true]);
    expect(part("end-room").hidden).toBe(true);
    page.send({ type: "room", view: { ...inside(BOB, ADA), manages: true } });
    expect(buttons().map(({ hidden, title }) => [hidden, title])).toEqual([[false, "Mute Bob"], [false, "Put Bob out"]]);
    expect(people()[1]?.querySelectorAll("button").length).toBe(0);
    buttons().forEach(click);
    click(part("end-room"));
    expect(page.asked).toEqual([["room.mute", true, "b"], ["room.kick", "b"], ["room.end"]]);
    page.send({ type: "room", view: { ...inside({ ...BOB, muted: true }, ADA), manages: true } });
    expect(buttons().map(({ hidden }) => hidden)).toEqual([true, false]);
  });

  it("keeps the focus while others speak, and gives it on when they go", () => {
    page.send(...SPEAKING, { type: "room", view: { ...inside(BOB, ADA), manages: true } });
    const kick = people()[0]?.querySelector<HTMLElement>("[data-testid=person-kick]") as HTMLElement;
    kick.focus();
    page.send({ type: "room", view: { ...inside({ ...BOB, speaking: true }, ADA), manages: true } });
    expect(document.activeElement).toBe(kick);
    page.send({ type: "room", view: { ...inside(ADA), manages: true } });
    expect(document.activeElement).toBe(part("copy-link"));
  });

  it("tells screen readers who comes and goes, and nothing of those who were there", () => {
    const said = () => part("status").textContent;
    page.send(...SPEAKING, seen(BOB, ADA));
    expect(said()).toBe("");
    page.send(seen(BOB, ADA, { ...BOB, id: "c", name: "Cat" }));
    expect(said()).toBe("Cat has come in.");
    page.send(seen({ ...BOB, speaking: true }, ADA, { ...BOB, id: "c", name: "Cat" }));
    expect(said()).toBe("Cat has come in.");
    page.send(seen(ADA, { ...BOB, id: "c", name: "Cat" }));
    expect(said()).toBe("Bob has left.");
  });

  it("shows what the others hear as the service has it, also where it refuses something else", () => {
    const radio = (value: string) => document.querySelector(`input[name=publish][value=${value}]`) as HTMLInputElement;
    page.send(...SPEAKING, seen(ADA));
    expect(radio("voice").checked).toBe(true);
    click(radio("mic"));
    expect(page.asked).toEqual([["publish", "mic"]]);
    page.send({ type: "alert", alert: { code: "forbidden", detail: "", tone: "fault" } });
    expect(radio("voice").checked).toBe(true);
    page.send(seen({ ...ADA, publish: "nothing" }));
    expect(radio("nothing").checked).toBe(true);
  });

  it("mutes, unmutes and leaves, and has the link copied again", () => {
    page.send(...SPEAKING, seen(ADA));
    click(part("mute"));
    page.send(seen({ ...ADA, muted: true }));
    expect(part("mute").getAttribute("aria-pressed")).toBe("true");
    click(part("mute"));
    click(part("leave-room"));
    click(part("copy-link"));
    expect(page.asked).toEqual([["room.mute", true], ["room.mute", false], ["room.leave"], ["copyLink"]]);
    page.send({ type: "room", view: { ...inside(), joined: false } });
    expect([part("room").hidden, part("invite").hidden]).toEqual([true, false]);
  });

  it("takes another name while one is there", () => {
    choose("name", "Ada");
    page.send(...SPEAKING, seen({ ...ADA, name: "Ada" }));
    const name = document.querySelector("[data-testid=room-name]") as HTMLInputElement;
    expect(name.value).toBe("Ada");
    name.value = "Eve ";
    name.dispatchEvent(new Event("change"));
    expect(page.asked).toEqual([["rename", "Eve"]]);
    expect(choice("name")).toBe("Eve");
  });

  it("shows that a recording is asked for, and records nobody who has not agreed", () => {
    const asked = { id: "r", state: "asked", by: "b", recorded: [], answer: null } as const;
    const rec = (recording: Room["recording"], records = false): PageEvent =>
      ({ type: "room", view: { ...inside(BOB, ADA), recording, records } });
    page.send(...SPEAKING, rec(null));
    expect([part("recording").hidden, part("rec").hidden, part("record").hidden]).toEqual([true, true, true]);
    page.send(rec(asked));
    expect(part("recording-text").textContent).toBe("Bob would like to record this room. May you be recorded?");
    expect([part("recording").hidden, part("rec").hidden, part("agree").hidden, part("refuse").hidden]).toEqual([false, true, false, false]);
    click(part("refuse"));
    page.send(rec({ ...asked, answer: false }));
    expect([part("recording-text").textContent, part("refuse").hidden]).toEqual(["Nobody is recorded yet.", true]);
    page.send(rec({ ...asked, state: "on", recorded: ["b"], answer: false }));
    expect([part("recording-text").textContent, part("rec").hidden]).toEqual(["Others are recorded, and you are not.", false]);
    expect(people().map((item) => item.textContent)).toEqual(["Bobrecorded", "Ada (you)"]);
    click(part("agree"));
    page.send(rec({ ...asked, state: "on", recorded: ["a", "b"], answer: true }));
    expect([part("recording-text").textContent, part("agree").hidden]).toEqual(["You are being recorded.", true]);
    expect(part("refuse").textContent).toBe("Stop, and delete what was recorded of me");
    click(part("refuse"));
    expect(page.asked).toEqual([["room.agreeToRecording", false], ["room.agreeToRecording", true], ["room.agreeToRecording", false]]);
  });

  it("lets whoever was recorded delete that when it is over, also after they have left", () => {
    const rec = (id: string | null, answer: boolean | null): PageEvent => ({
      type: "room", view: { ...inside(BOB, ADA), recording: id === null ? null : { id, state: "on", by: "b", recorded: ["a"], answer } },
    });
    page.send(...SPEAKING, rec("r", null), rec("r", true));
    expect(part("recorded").hidden).toBe(true);
    page.send(rec(null, null));
    expect(part("recorded").hidden).toBe(false);
    page.send(rec("s", false), rec(null, null));
    click(part("withdraw"));
    part("withdraw").focus();
    page.send({ type: "withdrawn" });
    expect([part("recorded").hidden, document.activeElement]).toEqual([true, part("text")]);
    page.send(rec("q", true), rec(null, null), rec("q", null));
    expect(part("recorded").hidden, "while the same goes on the room is the place").toBe(true);
    page.send(rec(null, null));
    expect(part("recorded").hidden, "nothing was answered the second time").toBe(false);
    page.send(rec("q", false), rec(null, null));
    expect(part("recorded").hidden).toBe(true);
    page.send(rec("t", true), { type: "room", view: { ...inside(), joined: false } });
    expect(part("recorded").hidden).toBe(false);
    click(part("withdraw"));
    page.send({ type: "ended", reason: "client_left" });
    expect(part("recorded").hidden).toBe(true);
    expect(page.asked).toEqual([["withdraw", "r"], ["withdraw", "t"]]);
  });

  it("lets whoever may record the room and end that", () => {
    const records = (recording: Room["recording"]): PageEvent => ({ type: "room", view: { ...inside(ADA), recording, records: true } });
    page.send(...SPEAKING, records(null));
    click(part("record"));
    page.send(records({ id: "r", state: "asked", by: "a", recorded: [], answer: null }));
    expect(part("record").getAttribute("aria-pressed")).toBe("true");
    click(part("record"));
    expect(page.asked).toEqual([["room.record", true], ["room.record", false]]);
  });

  it("says all of it in Chinese", () => {
    page.send(...SPEAKING, { type: "room", view: { ...inside({ ...BOB, speaking: true }, ADA), manages: true } });
    page.words.language = "zh";
    expect(people().map((item) => item.textContent)).toEqual(["Bob正在说话", "Ada（您）"]);
    expect(people()[0]?.querySelector("button")?.title).toBe("将“Bob”静音");
  });
});
