import { describe, expect, it } from "vitest";
import { roomOf } from "../src/address.js";
import { problemText } from "../src/words.js";

describe("the address", () => {
  it.each([["", null], ["?other=1", null], ["?room=hall", "hall"], ["?room=a.b-c_1", "a.b-c_1"], [`?room=${"a".repeat(64)}`, "a".repeat(64)]])(
    "%s names the room %s", (search, room) => expect(roomOf(search)).toBe(room));

  it.each(["?room=", "?room=%20", "?room=a/b", "?room=caf%C3%A9", "?room=%00", `?room=${"a".repeat(65)}`])(
    "%s names what cannot be one", (search) => expect(roomOf(search)).toBeUndefined());

  it.each([["en", "not whole"], ["zh", "链接不完整"]] as const)("is told to be wrong in words: %s", (language, words) => {
    expect(problemText(language, { code: "link-broken", detail: "" })).toContain(words);
  });
});
