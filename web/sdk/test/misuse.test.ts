/** What applications ask for wrongly: told at once, with what to change, and never sent. */

import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { serviceUrl } from "../src/address.js";
import type { VoicePeer } from "../src/index.js";
import { named } from "../src/misuse.js";
import { refusalOf, tokenOf } from "../src/token.js";
import { VoicePeerError } from "../src/errors.js";
import { browser, call, fakeBrowser, pass } from "./kit/browser.js";

fakeBrowser();

/** As JavaScript lets it be called. */
type Untyped = (...given: unknown[]) => unknown;
type Method = Exclude<keyof VoicePeer & string, "voices" | "microphone" | "speech">;

function untyped(target: object, method: string): Untyped {
  return (Reflect.get(target, method) as Untyped).bind(target);
}

const misuse = (said: RegExp | string) =>
  expect.objectContaining({ code: "misuse", fault: "page", detail: expect.stringMatching(said) });

describe("methods that only send", () => {
  test.each<[Method, string, unknown[], RegExp]>([
    ["speak", "nothing", [], /^speak: the text has to be a string, not undefined$/],
    ["speak", "null", [null], /not null$/],
    ["speak", "a number", [42], /not 42$/],
    ["speak", "an object", [{}], /not of type object$/],
    ["speak", "a list", [["Hello."]], /not a list$/],
    ["speak", "an empty text", [""], /^speak: the text is empty$/],
    ["speak", "blanks", [" \n"], /is empty$/],
    ["speak", "no settings", ["Hello.", null], /^speak: settings are an object, not null$/],
    ["speak", "an unknown setting", ["Hello.", { loudness: 1 }], /there is no "loudness", only speed, .*interrupt$/],
    ["speak", "a name of the wire", ["Hello.", { voice_id: "v" }], /there is no "voice_id", only .*voiceId/],
    ["speak", "a setting of every object", ["Hello.", { toString: "x" }], /there is no "toString"/],
    ["speak", "a text for a number", ["Hello.", { speed: "fast" }], /"speed" has to be of type number, not of type string/],
    ["speak", "no number", ["Hello.", { speed: NaN }], /not NaN$/],
    ["speak", "half a priority", ["Hello.", { priority: 1.5 }], /integer, not 1.5$/],
    ["open", "an unknown setting", [{ tempo: 2 }], /^open: there is no "tempo"/],
    ["enrol", "nothing", [], /^enrol: the speaker has to agree: .*"consentId"/],
    ["enrol", "an empty object", [{}], /has to agree/],
    ["enrol", "an empty statement", [{ consent: " ", consentId: "" }], /has to agree/],
    ["enrol", "a statement alone", ["I agree."], /^enrol: settings are an object/],
    ["enrol", "a tick", [{ consent: true }], /"consent" has to be of type string, not of type boolean/],
    ["enrol", "a version that is none", [{ consent: "I agree.", consentVersion: "2" }], /"consentVersion" has to be of type integer/],
  ])("%s of %s throws", async (method, _, given, said) => {
    const { peer } = await call();
    const before = browser.service.messages.length;
    expect(() => untyped(peer, method)(...given)).toThrow(misuse(said));
    await pass(50);
    expect(browser.service.messages.length).toBe(before);
    expect(peer.utterances).toEqual([]);
  });

  it("append of what is no text throws, and leaves the text as it was", async () => {
    const { peer } = await call();
    const utterance = peer.open().append("Hello. ");
    expect(() => untyped(utterance, "append")(null)).toThrow(misuse(/^append: the text has to be a string, not null$/));
    expect(utterance.append("").text).toBe("Hello. ");
  });

  it("a stream that gives something else than texts ends, and says so", async () => {
    const { peer } = await call();
    const utterance = peer.speak((async function* () {
      yield "Hello.";
      yield undefined as unknown as string;
    })());
    await pass(50);
    expect(await utterance.finished).toMatchObject({ how: "failed", error: { code: "misuse", detail: expect.stringMatching(/stream gives .* not undefined$/) } });
    expect(utterance.text).toBe("Hello.");
  });

  it("settings that are left open are none", async () => {
    const { peer } = await call();
    const options = { speed: undefined } as unknown as object;
    const { id } = peer.speak("Hello.", options);
    await pass();
    expect(browser.service.got("utterance.speak")).toEqual([{ utterance_id: id, text: "Hello." }]);
  });
});

describe("methods that ask", () => {
  test.each<[string, unknown[], RegExp]>([
    ["control", [{ tempo: 2 }], /^control: there is no "tempo", only speed/],
    ["control", [], /settings are an object, not undefined$/],
    ["control", [{ language: "en" }], /there is no "language"/],
    ["setLexicon", [{ word: 1 }], /^setLexicon: words are an object with values of type string$/],
    ["setLexicon", ["word"], /words are/],
    ["configure", [true], /settings are an object/],
    ["voices.use", [], /^voices.use: the id has to be a string, not undefined$/],
    ["voices.use", [""], /the id is empty$/],
    ["voices.mix", [{ ada: "half" }], /^voices.mix: weights are an object with values of type number$/],
    ["voices.mix", [[0.5]], /weights are/],
    ["voices.save", [" "], /the name is empty$/],
    ["voices.rename", ["v", 5], /the name has to be a string, not 5$/],
    ["voices.rename", ["", "Ada"], /the id is empty$/],
    ["voices.export", [undefined], /the id/],
    ["voices.delete", [""], /the id is empty$/],
    ["voices.withdraw", [null], /the id/],
    ["voices.import", ["a file"], /the file is a Blob, not of type string$/],
    ["voices.import", [null], /not null$/],
  ])("%s of %j rejects", async (path, given, said) => {
    const { peer } = await call();
    const [before, asked] = [browser.service.messages.length, browser.requests.length];
    const [method, owner] = path.startsWith("voices.") ? [path.slice(7), peer.voices] : [path, peer];
    await expect(untyped(owner, method)(...given)).rejects.toEqual(misuse(said));
    await pass(50);
    expect([browser.service.messages.length, browser.requests.length]).toEqual([before, asked]);
  });

  it("control of what the service cannot do is told as that, in the service's words", async () => {
    const { peer } = await call();
    browser.service.answers["controls.set"] = () => "text_rejected";
    const [all, one] = [peer.control({ speed: 99 }), peer.open().set({ speed: 99 })];
    for (const asked of [all, one]) asked.catch(() => undefined);
    await pass();
    for (const asked of [all, one]) {
      await expect(asked).rejects.toMatchObject({ code: "controls_rejected", fault: "user", message: "It cannot be spoken like this: no" });
    }
    browser.service.answers["controls.set"] = () => "rate_limited";
    const refused = expect(peer.control({ speed: 1 })).rejects.toMatchObject({ code: "rate_limited" });
    await pass();
    await refused;
  });

  it("connect is done once, and a second time harms no call", async () => {
    const { peer } = await call();
    await expect(peer.connect()).rejects.toEqual(misuse(/^connect: this call has begun/));
    expect(peer.state).toBe("connected");
  });
});

describe("the address of a service", () => {
  test.each([
    ["https://voice.example", "https://voice.example/"],
    ["https://voice.example/base", "https://voice.example/base/"],
    ["https://voice.example/base/", "https://voice.example/base/"],
    ["https://voice.example/base?x=1#y", "https://voice.example/base/"],
    ["wss://voice.example:8443/base", "https://voice.example:8443/base/"],
    ["ws://localhost:8080", "http://localhost:8080/"],
    ["/base", "https://app.example/base/"],
    [".", "https://app.example/deep/"],
    ["", "https://app.example/deep/page.html/"],
  ])("%j is %s", (given, expected) => {
    expect(serviceUrl(given, "https://app.example/deep/page.html").href).toBe(expected);
    if (given.includes(":")) expect(serviceUrl(new URL(given), "about:blank").href).toBe(expected);
  });

  test.each([["https://"], ["voice.example:8080"], ["file:///voice"], [42], [null], [{}]])("is not %j", (given) => {
    expect(() => serviceUrl(given, "https://app.example/")).toThrow(misuse(/^new VoicePeer: "url" has to be/));
  });

  it("always leads to paths below it", () => {
    fc.assert(fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (given) => {
      const url = serviceUrl(given, "https://app.example/");
      expect(url.pathname.endsWith("/")).toBe(true);
      expect(new URL("readyz", url).href).toBe(`${url.href}readyz`);
    }));
  });
});

describe("a token", () => {
  test.each<[unknown, string | null]>([
    ["a key", "a key"], [null, null], ["", null], [() => "a key", "a key"], [async () => undefined, null],
  ])("of %j is fetched", async (source, expected) => {
    expect(await tokenOf(source as string)()).toBe(expected);
  });

  test.each([[42], [() => ({ value: "ek_secret" })], [async () => ["ek_secret"]]])("is not %j", async (source) => {
    const error: unknown = await tokenOf(source as unknown as string)().catch((thrown: unknown) => thrown);
    expect(error).toEqual(misuse(/^token: a key is a string, not /));
    expect((error as Error).message).not.toContain("ek_secret");
  });

  test.each([[() => { throw new TypeError("no"); }], [async () => { throw new TypeError("no"); }]])("whose source fails has failed", async (source) => {
    await expect(tokenOf(source)()).rejects.toMatchObject({ code: "token_failed", fault: "network", detail: "no" });
  });

  it("that never comes is not waited for longer than half a minute", async () => {
    const token = tokenOf(() => new Promise<string>(() => undefined))();
    const late = expect(token).rejects.toMatchObject({ code: "token_failed", detail: "no token within 30 s" });
    await pass(30_000);
    await late;
  });

  it("that the application has fetched is refused with the service's reason, a key that was entered is asked for", () => {
    const refused = new VoicePeerError("unauthorized", { detail: "'aud' is missing" });
    expect(refusalOf(refused, () => "a token")).toMatchObject({ code: "token_refused", fault: "service", detail: "'aud' is missing" });
    expect(refusalOf(refused, "a key")).toBe(refused);
    expect(refusalOf(refused, null)).toBe(refused);
    const full = new VoicePeerError("at_capacity");
    expect(refusalOf(full, () => "a token")).toBe(full);
  });
});

test("values are named without what is in them", () => {
  expect([undefined, null, 7, "secret", ["secret"], { a: 1 }, true].map(named)).toEqual(
    ["undefined", "null", "7", "of type string", "a list", "of type object", "of type boolean"]);
});
