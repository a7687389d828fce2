/** Voices over HTTP. */

import { describe, expect, it, test } from "vitest";
import { browser, call, fakeBrowser } from "./kit/browser.js";

fakeBrowser();

const ADA = { id: "v1", created_at: 1_800_000_000, name: "Ada", type: "audio_sample", object: "audio.voice" };
const STOCK = { id: "af_heart", created_at: 0, name: "af_heart", type: "stock", object: "audio.voice" };
const last = () => browser.requests.at(-1) as Request;

describe("voices", () => {
  it("are listed to the end, own ones with what is known of them", async () => {
    const { peer } = await call();
    browser.http["voices"] = (request) => (request.url.includes("after")
      ? Response.json({ data: [STOCK], has_more: false, last_id: "af_heart" })
      : Response.json({
        data: [{ ...ADA, consent: "c1", quality: 0.9, expires_at: 1_800_000_300 }], has_more: true, last_id: "v 1",
      }));
    expect(await peer.voices.list()).toEqual([
      {
        id: "v1", name: "Ada", kind: "own", createdAt: new Date(1_800_000_000_000), consentId: "c1", quality: 0.9,
        expiresAt: new Date(1_800_000_300_000),
      },
      { id: "af_heart", name: "af_heart", kind: "stock", createdAt: new Date(0), consentId: null, quality: null, expiresAt: null },
    ]);
    expect(last().url).toBe("https://voice.example/base/v1/audio/voices?limit=100&after=v%201");
  });

  it("are renamed, exported, imported and deleted", async () => {
    const { peer } = await call({ token: "a key" });
    browser.http["voices/v%2F1"] = () => Response.json({ ...ADA, name: "Grace" });
    browser.http["export"] = () => new Response("a voice");
    browser.http["import"] = () => Response.json({ ...ADA, id: "v2" });
    expect((await peer.voices.rename("v/1", "Grace")).name).toBe("Grace");
    expect([last().method, await last().json(), last().headers.get("Content-Type"), last().headers.get("Authorization")]).toEqual(
      ["POST", { name: "Grace" }, "application/json", "Bearer a key"]);
    expect(await (await peer.voices.export("v/1")).text()).toBe("a voice");
    expect((await peer.voices.import(new Blob(["a voice"]))).id).toBe("v2");
    expect([last().headers.get("Content-Type"), await last().text()]).toEqual(["application/octet-stream", "a voice"]);
    await peer.voices.delete("v/1");
    expect([last().method, new URL(last().url).pathname]).toEqual(["DELETE", "/base/v1/audio/voices/v%2F1"]);
  });

  it("go with the consent that they were made under", async () => {
    const { peer } = await call();
    browser.http["voice_consents/c1"] = () => Response.json({ id: "c1", voices_deleted: ["v1", "v2"] });
    expect(await peer.voices.withdraw("c1")).toEqual(["v1", "v2"]);
  });

  const refusal = (status: number, code: string) =>
    () => Response.json({ error: { message: "no", type: "t", code, param: null } }, { status });
  test.each<[string, () => Response, object]>([
    ["a refusal", refusal(403, "forbidden"), { code: "forbidden", fault: "user", detail: "no" }],
    ["too many requests", refusal(429, "rate_limit_exceeded"), { code: "rate_limit_exceeded", fault: "user" }],
    ["a wrong key without a reason", () => new Response("", { status: 401 }), { code: "unauthorized" }],
    ["a proxy's page", () => new Response("<html>", { status: 502, statusText: "Bad Gateway" }), { code: "internal", detail: "Bad Gateway" }],
    ["no list", () => Response.json({ data: {} }), { code: "bad_answer" }],
    ["no voice", () => Response.json({ data: [{ id: 7 }], has_more: false }), { code: "bad_answer" }],
    ["no JSON", () => new Response("<html>"), { code: "bad_answer" }],
  ])("that are answered with %s fail with a reason", async (_, answer, expected) => {
    const { peer } = await call();
    browser.http["voices"] = answer;
    await expect(peer.voices.list()).rejects.toMatchObject(expected);
  });

  it("cannot be had from a service that is not there", async () => {
    const { peer } = await call();
    await expect(peer.voices.list()).rejects.toMatchObject({ code: "unreachable", fault: "network" });
  });
});
