/** The room: the way in, who is there, what they hear, and the way out. */

import { iconButton, make, one, write } from "../dom.js";
import { choice, choose } from "../keeping.js";
import { type Page, show } from "../page.js";
import { inCall } from "../phase.js";
import type { PageState, Person, Room } from "../state.js";

const MUTE = "M9 5a3 3 0 0 1 6 0v6M5.5 11.5a6.5 6.5 0 0 0 11 4.7M12 18v3M4 4l16 16";
const KICK = "M10 4H5v16h5M14 8l4 4-4 4M18 12H9";

export function room(page: Page): void {
  invitation(page);
  people(page);
  recording(page);
  recorded(page);
  arrivals(page);
  own(page);
}

function invitation(page: Page): void {
  const invite = one("invite");
  invite.addEventListener("click", () => void page.enter());
  one("copy-link").addEventListener("click", () => void page.copyLink());
  show(page, ({ phase, invited, room: { joined } }) => {
    invite.hidden = !inCall(phase) || joined;
    write(one("invite-text"), page.words.say(invited ? "joinRoom" : "invite"));
    one("room").hidden = !joined;
  });
}

// --- who is there -----------------------------------------------------------------------------

/** One of them, changed in place: who speaks changes often, and buttons keep the focus. */
class PersonView {
  readonly item = make("li", { "data-testid": "person" });
  readonly #name = make("span", { class: "grow" });
  readonly #note = make("small");
  readonly #buttons: HTMLButtonElement[];

  constructor(page: Page, { id, isMe }: Person) {
    const act = (how: "mute" | "kick") => () => void page.call()?.inRoom((there) =>
      (how === "kick" ? there.kick(id) : there.mute(true, id)));
    this.#buttons = isMe ? [] : [iconButton("person-mute", MUTE, act("mute")), iconButton("person-kick", KICK, act("kick"))];
    this.item.append(make("i", { "aria-hidden": "true" }), this.#name, this.#note, ...this.#buttons);
  }

  show(page: Page, { id, name: given, publish, muted, speaking, isMe }: Person, { manages, recording: recorded }: Room): void {
    const { words } = page;
    const name = given || words.say("guest");
    write(this.#name, isMe ? words.say("you", { name }) : name);
    const notes = [muted ? "muted" : publish === "nothing" ? "listening" : speaking ? "speaking" : null,
      recorded?.recorded.includes(id) ? "recorded" : null] as const;
    write(this.#note, notes.filter((key) => key !== null).map((key) => words.say(key)).join(" · "));
    Object.assign(this.item.dataset, { speaking, muted, publish });
    const labels = [words.say("muteOne", { name }), words.say("kickOne", { name })];
    this.#buttons.forEach((button, index) => {
      button.title = labels[index] as string;
      button.setAttribute("aria-label", button.title);
      button.hidden = !manages || (index === 0 && muted);
    });
  }
}

function people(page: Page): void {
  const list = one("people");
  const views = new Map<string, PersonView>();
  show(page, ({ room: there }) => {
    const { participants } = there;
    write(one("room-title"), page.words.say("roomTitle", { count: page.words.number(participants.length, 0) }));
    for (const [id, { item }] of views) {
      if (participants.some((person) => person.id === id)) continue;
      if (item.contains(document.activeElement)) one("copy-link").focus();
      item.remove();
      views.delete(id);
    }
    for (const person of participants) {
      const view = views.get(person.id) ?? new PersonView(page, person);
      if (!views.has(person.id)) list.append(view.item);
      views.set(person.id, view);
      view.show(page, person, there);
    }
  });
}

/** Whether the room is recorded, which everybody sees all the time, and whether oneself may be. */
function recording(page: Page): void {
  const { words } = page;
  const [refuse, record] = [one("refuse"), one("record")];
  const answer = (agree: boolean) => () => void page.call()?.inRoom((there) => there.agreeToRecording(agree));
  one("agree").addEventListener("click", answer(true));
  refuse.addEventListener("click", answer(false));
  record.addEventListener("click", () => {
    const on = record.getAttribute("aria-pressed") !== "true";
    void page.call()?.inRoom((there) => there.record(on));
  });
  show(page, ({ room: { recording: now, records, participants } }) => {
    one("recording").hidden = now === null;
    one("rec").hidden = now?.state !== "on";
    record.hidden = !records;
    record.setAttribute("aria-pressed", String(now !== null));
    if (now === null) return;
    const asker = participants.find(({ id }) => id === now.by)?.name || words.say("guest");
    write(one("recording-text"), now.answer === null ? words.say("recordingAsked", { name: asker })
      : words.say(now.answer ? "recordingMe" : now.state === "on" ? "recordingOthers" : "recordingNobody"));
    one("agree").hidden = now.answer === true;
    refuse.hidden = now.answer === false;
    write(refuse, words.say(now.answer === null ? "recordingRefuse" : "recordingWithdraw"));
  });
}

/** What was recorded can be deleted as long as there is the call that shows whose it is. */
function recorded(page: Page): void {
  const card = one("recorded");
  one("withdraw").addEventListener("click", () => {
    const { recordedIn } = page.store.state;
    if (recordedIn !== null) void page.call()?.withdraw(recordedIn);
  });
  show(page, ({ recordedIn, room: { recording: now } }) => {
    const hidden = recordedIn === null || recordedIn === now?.id;
    if (hidden && card.contains(document.activeElement)) one("text").focus();
    card.hidden = hidden;
  });
}

/** Screen readers are told who comes and goes, not who speaks: that is heard. */
function arrivals({ store, words }: Page): void {
  const others = ({ room: { participants } }: PageState) => participants.filter(({ isMe }) => !isMe);
  store.watch((state, before) => {
    if (!before.room.participants.some(({ isMe }) => isMe)) return; // Those were here before us.
    const [now, then] = [others(state), others(before)];
    const came = now.find(({ id }) => then.every((one) => one.id !== id));
    const went = then.find(({ id }) => now.every((one) => one.id !== id));
    const who = came ?? went;
    if (who !== undefined) write(one("status"), words.say(came ? "cameIn" : "wentOut", { name: who.name || words.say("guest") }));
  });
}

// --- oneself ----------------------------------------------------------------------------------

function own(page: Page): void {
  const name = one<HTMLInputElement>("room-name");
  const radios = [...one("publish").querySelectorAll("input")];
  const mute = one("mute");
  name.value = choice("name") ?? "";
  name.addEventListener("change", () => {
    choose("name", name.value.trim());
    void page.call()?.rename(name.value.trim());
  });
  for (const radio of radios) radio.addEventListener("change", () => void page.call()?.publish(radio.value as Person["publish"]));
  const act = (id: string, what: "leave" | "end") =>
    one(id).addEventListener("click", () => void page.call()?.inRoom((there) => there[what]()));
  act("leave-room", "leave");
  act("end-room", "end");
  mute.addEventListener("click", () => {
    const muted = mute.getAttribute("aria-pressed") !== "true";
    void page.call()?.inRoom((there) => there.mute(muted));
  });
  show(page, ({ room: { participants, manages } }, before) => {
    const me = participants.find(({ isMe }) => isMe);
    // Also back to what it was, where something else was refused.
    for (const radio of radios) radio.checked = radio.value === me?.publish;
    mute.setAttribute("aria-pressed", String(me?.muted ?? false));
    one("end-room").hidden = !manages;
    if (me !== undefined && me.name !== before.room.participants.find(({ isMe }) => isMe)?.name) name.value = me.name;
  });
}
