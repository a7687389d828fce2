/** What people are told. */

import { afterEach, beforeEach, describe, expect, it, test, vi } from "vitest";
import { asVoicePeerError, VoicePeerError } from "../src/errors.js";
import { notice } from "../src/notices.js";
import { CODES, currentLanguage, faultOf, setLanguage, textOf } from "../src/texts.js";

beforeEach(() => { setLanguage("en"); });
afterEach(() => { setLanguage(null); });

describe("texts", () => {
  test.each(CODES)("of %s are there in both languages, and say something else", (code) => {
    const [en, zh] = [textOf(code, "en", "why"), textOf(code, "zh", "why")];
    expect(en).toMatch(/^[A-Z].*(\.|\?|…|why)$/);
    expect(zh).toMatch(/[\u4e00-\u9fff]/);
    expect(zh).toMatch(/(。|？|…|why)$/);
    expect(["user", "page", "service", "network", "browser"]).toContain(faultOf(code));
  });

  it("give the service's own words where nothing else is known", () => {
    expect(textOf("brand_new", "zh", "It rains.")).toBe("It rains.");
    expect(textOf("brand_new", "en")).toBe("The service has a problem of its own. Try again. (brand_new)");
    expect(faultOf("brand_new")).toBe("service");
    expect(textOf("toString", "en", "x")).toBe("x");
  });

  it("take the service's words as they are", () => {
    expect(textOf("text_rejected", "en", "$& and $1")).toBe("This text cannot be said: $& and $1");
  });

  it("know OpenAI's names of what is ours", () => {
    expect(textOf("rate_limit_exceeded", "en")).toBe(textOf("rate_limited", "en"));
    expect(faultOf("invalid_api_key")).toBe("user");
    expect(textOf("invalid_token", "en", "'aud' is missing")).toMatch(/access token .*: 'aud' is missing$/);
  });

  test.each([["zh-CN", "zh"], ["ZH", "zh"], ["en-GB", "en"], ["de", "en"]])("for a browser in %s are in %s", (tag, language) => {
    vi.stubGlobal("navigator", { language: tag });
    setLanguage(null);
    expect(currentLanguage()).toBe(language);
    setLanguage("zh");
    expect(currentLanguage()).toBe("zh");
    expect(new VoicePeerError("call_over").message).toBe(textOf("call_over", "zh"));
    setLanguage("en");
    vi.unstubAllGlobals();
  });
});

describe("errors", () => {
  it("have a code, a fault, a message and what they are about", () => {
    const error = new VoicePeerError("unauthorized", { detail: "no", utteranceId: "u1" });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: "VoicePeerError", code: "unauthorized", fault: "user", detail: "no", utteranceId: "u1",
      message: "This service needs a valid access key. Enter it and try again.",
    });
    expect(error.in("zh")).toBe("此服务需要有效的访问密钥。请输入密钥后重试。");
    expect("cause" in error).toBe(false);
  });

  it("keep what caused them, and stay as they are", () => {
    const cause = new TypeError("Failed to fetch");
    const error = asVoicePeerError(cause, "unreachable");
    expect(error).toMatchObject({ code: "unreachable", cause, detail: "Failed to fetch", fault: "network" });
    expect(asVoicePeerError(error)).toBe(error);
    expect(asVoicePeerError("thrown").detail).toBe("thrown");
  });
});

test("a notice is in the language that is asked for", () => {
  expect(notice("microphone.changed", "Headset")).toEqual({
    code: "microphone.changed", message: "The call goes on with another microphone: Headset", fault: "user", detail: "Headset",
  });
});
