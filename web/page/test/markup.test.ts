// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from "vitest";
import { TEXTS } from "../src/texts.js";
import { Words } from "../src/words.js";
import { MARKUP, rig } from "./setup.js";

describe("index.html", () => {
  beforeEach(() => void rig());

  const all = <T extends Element = HTMLElement>(selector: string) => {
    const inTemplates = [...document.querySelectorAll("template")].flatMap((one) => [...one.content.querySelectorAll<T>(selector)]);
    return [...document.querySelectorAll<T>(selector), ...inTemplates];
  };

  it("has no style, script or address that its Content-Security-Policy forbids", () => {
    expect(MARKUP).not.toMatch(/\sstyle=|\son\w+=|javascript:|<script>|<style|https?:/);
  });

  it("names texts that there are", () => {
    for (const attribute of ["text", "label", "placeholder"]) {
      for (const element of all(`[data-${attribute}]`)) expect(TEXTS).toHaveProperty(element.dataset[attribute] as string);
    }
  });

  it("says nothing in one language only", () => {
    const texts = all("main *, footer *, dialog *").filter((element) => element.children.length === 0);
    for (const element of texts.filter((one) => !one.dataset["text"])) expect(element.textContent?.trim()).toMatch(/^–?$/);
  });

  it("has each test id and id once", () => {
    for (const name of ["data-testid", "id"]) {
      const ids = all(`[${name}]`).map((element) => element.getAttribute(name));
      expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    }
  });

  it("has a label for whatever can be operated", () => {
    new Words().apply(document);
    for (const input of all<HTMLInputElement>("input, select, textarea")) {
      const labelled = input.closest("label") ?? document.querySelector(`label[for="${input.id}"]`)
        ?? (input.hasAttribute("data-label") ? input : null);
      expect(labelled, input.outerHTML).not.toBeNull();
    }
    for (const button of all("button")) {
      const known = ["language", "theme", "confirm-yes", "start", "refuse"]; // Written by their views.
      if (known.includes(button.dataset["testid"] ?? "")) continue;
      const named = button.querySelector("[data-text]") ?? (button.dataset["text"] || button.dataset["label"]);
      expect(named, button.outerHTML).toBeTruthy();
    }
  });

  it("has no picture that screen readers would read out without a name", () => {
    for (const svg of all("svg")) {
      expect(svg.getAttribute("aria-hidden") ?? svg.closest("[aria-hidden]") ?? svg.getAttribute("role")).not.toBeNull();
    }
  });
});

describe("words", () => {
  it("are put into the markup, and again in another language", () => {
    const { words } = rig();
    words.language = "en";
    words.apply(document);
    expect(document.querySelector("h1")?.textContent).toBe(TEXTS.heroTitle[0]);
    words.language = "zh";
    words.apply(document);
    expect(document.querySelector("h1")?.textContent).toBe(TEXTS.heroTitle[1]);
    expect(document.querySelector("[data-testid=text]")?.getAttribute("placeholder")).toBe(TEXTS.textPlaceholder[1]);
    expect(localStorage.getItem("voicepeer.language")).toBe("zh");
  });

  it("write numbers as the language does, and name emotions", () => {
    const { words } = rig();
    expect(words.number(1234.56, 1)).toBe("1,234.6");
    expect(words.emotion("happy")).toBe(TEXTS.emotion_happy[words.language === "zh" ? 1 : 0]);
    expect(words.emotion("grumpy")).toBe("grumpy");
  });
});
