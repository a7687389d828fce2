import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { CODES, textOf } from "@voicepeer/client";
import { describe, expect, it } from "vitest";
import type { Alert } from "../src/state.js";
import { TEXTS, type TextKey, text } from "../src/texts.js";
import { HINTS, TAGS, firstLanguage, problemText, smallPrint } from "../src/words.js";

const ROWS = Object.entries(TEXTS) as [TextKey, readonly [string, string]][];
/** The same in both languages on purpose. */
const SAME: ReadonlySet<string> = new Set(["percent"]);
const HAN = /\p{Script=Han}/u;

function sources(folder: string): string {
  return readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? sources(path) : entry.name === "texts.ts" ? "" : readFileSync(path, "utf8");
  }).join("\n");
}

describe("texts", () => {
  it.each(ROWS)("%s is there in both languages", (key, [en, zh]) => {
    expect(en.trim()).toBe(en);
    expect(zh.trim()).toBe(zh);
    expect(en).not.toBe("");
    if (SAME.has(key)) return;
    if (key === "languageSwitch") expect(HAN.test(en) && !HAN.test(zh)).toBe(true); // It names the other one.
    else expect(HAN.test(zh)).toBe(true);
  });

  it.each(ROWS)("%s has the same values in both", (_, [en, zh]) => {
    const names = (words: string) => [...words.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
    expect(names(en)).toEqual(names(zh));
  });

  it("are all used", () => {
    const used = `${sources("src")}${readFileSync("index.html", "utf8")}`;
    const unused = ROWS.map(([key]) => key).filter((key) => !key.startsWith("emotion_") && !new RegExp(`\\b${key}\\b`).test(used));
    expect(unused).toEqual([]);
  });

  it("take values, which are not read as values again", () => {
    expect(text("en", "saved", { name: "{name}" })).toBe("Saved as {name}.");
    expect(text("zh", "deleteTitle", { name: "小明" })).toBe("删除“小明”？");
    expect(text("en", "saved")).toBe("Saved as {name}.");
  });
});

describe("the sentence to read", () => {
  it("takes about as long as a voice needs, and less than ten seconds", () => {
    // People read 2.5 to 3.5 words, or 4 to 5 Chinese characters, in a second.
    const words = TEXTS.sentence[0].split(" ").length;
    const characters = [...TEXTS.sentence[1]].filter((one) => HAN.test(one)).length;
    expect(words / 2.5).toBeGreaterThan(5);
    expect(words / 3.5).toBeLessThan(10);
    expect(characters / 5).toBeGreaterThan(5);
    expect(characters / 4).toBeLessThan(10.5);
  });
});

describe("alerts", () => {
  it("of the client come from its own table, in the page's language", () => {
    const alert = { code: "at_capacity", detail: "", tone: "fault" } as const;
    expect(problemText("en", alert)).toBe(textOf("at_capacity", "en"));
    expect(problemText("zh", alert)).toBe(textOf("at_capacity", "zh"));
  });

  it("of the page name what they are about", () => {
    expect(problemText("en", { code: "saved", detail: "Ada", tone: "done" })).toBe("Saved as Ada.");
  });

  it("of hints say what to do", () => {
    expect(problemText("en", { code: "hint.muted", detail: "english words", tone: "fault" })).toBe(TEXTS.hintMuted[0]);
  });

  it.each([["brand_new", undefined], ["text_rejected", undefined], ["voice_rejected", undefined], ["invalid_value", "rename"],
    ["bad_message", "save"], ["too_large", "import"]] as const)("of %s have the service's words in the small print at most", (code, about) => {
    const alert: Alert = { code, detail: "Expected `str` matching regex", tone: "fault", ...(about && { about }) };
    for (const language of ["en", "zh"] as const) expect(problemText(language, alert)).not.toContain("regex");
    expect(problemText("zh", alert)).toMatch(/\p{Script=Han}/u);
    expect(["", alert.detail]).toContain(smallPrint(alert));
  });

  it("tell the service's words only where there are no better ones", () => {
    expect(smallPrint({ code: "invalid_value", detail: "regex", tone: "fault", about: "save" })).toBe("");
    expect(smallPrint({ code: "brand_new", detail: "What it is.", tone: "fault" })).toBe("What it is.");
    expect(smallPrint({ code: "at_capacity", detail: "all places are taken", tone: "fault" })).toBe("");
    expect(smallPrint({ code: "voice-gone", detail: "Ada", tone: "notice" })).toBe("");
  });

  it("of the page and of the client have different codes", () => {
    for (const own of ["saved", "deleted", "imported", "restarted", "restarted-unlearned"]) {
      expect(CODES).not.toContain(own);
    }
    for (const hint of Object.keys(HINTS)) expect(CODES).not.toContain(hint);
  });
});

describe("the language", () => {
  it.each([
    ["zh", ["en-GB"], "zh"],
    ["en", ["zh-CN"], "en"],
    [null, ["zh-TW", "en"], "zh"],
    [null, ["de-DE", "en"], "en"],
    [null, ["de-DE", "zh-Hans", "en"], "zh"],
    [null, [], "en"],
    ["klingon", ["fr"], "en"],
  ] as const)("remembered %s of a browser in %j is %s", (remembered, preferred, language) => {
    expect(firstLanguage(remembered, preferred)).toBe(language);
  });

  it("has a tag that browsers know", () => {
    for (const tag of Object.values(TAGS)) expect(Intl.getCanonicalLocales(tag)).toEqual([tag]);
  });
});
