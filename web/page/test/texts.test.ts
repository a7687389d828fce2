import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { CODES, textOf } from "@voicepeer/client";
import { describe, expect, it } from "vitest";
import { TEXTS, type TextKey, text } from "../src/texts.js";
import { HINTS, TAGS, alertText, firstLanguage } from "../src/words.js";

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
    expect(alertText("en", alert)).toBe(textOf("at_capacity", "en"));
    expect(alertText("zh", alert)).toBe(textOf("at_capacity", "zh"));
  });

  it("of the page name what they are about", () => {
    expect(alertText("en", { code: "saved", detail: "Ada", tone: "done" })).toBe("Saved as Ada.");
  });

  it("of hints say what to do", () => {
    expect(alertText("en", { code: "hint.muted", detail: "english words", tone: "fault" })).toBe(TEXTS.hintMuted[0]);
  });

  it("that nobody knows are told in the service's words", () => {
    expect(alertText("zh", { code: "brand_new", detail: "What it is.", tone: "fault" })).toBe("What it is.");
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
