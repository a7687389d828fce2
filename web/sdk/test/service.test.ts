/** The service before a call: whether it is ready, and its HTTP API. */

import { afterEach, beforeEach, describe, expect, it, test, vi } from "vitest";
import { VoicePeerError } from "../src/errors.js";
import { jsonBody, ServiceHttp } from "../src/http.js";
import { waitForService } from "../src/waiting.js";

const SERVICE = new URL("https://voice.example/base/");

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Answers in turn; the last one stays. */
function answers(...all: Array<() => Response | Promise<Response>>): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (url: URL, init?: RequestInit) => {
    asked.push(String(url));
    init?.signal?.throwIfAborted();
    const answer = all.length > 1 ? all.shift() : all[0];
    return (answer as () => Response)();
  });
  return asked;
}

const unready = (reason: unknown, headers: Record<string, string> = {}) =>
  () => new Response(JSON.stringify({ status: "not_ready", reason }), { status: 503, headers });

async function waiting(ms: number, signal = new AbortController().signal): Promise<{ told: string[]; error: unknown; done: boolean }> {
  const state = { told: [] as string[], error: null as unknown, done: false };
  waitForService(SERVICE, (reason) => state.told.push(reason), signal).then(
    () => { state.done = true; }, (error: unknown) => { state.error = error; });
  await vi.advanceTimersByTimeAsync(ms);
  return state;
}

describe("waiting for the service", () => {
  it("takes no time where it is ready", async () => {
    const asked = answers(() => Response.json({}));
    expect(await waiting(0)).toEqual({ told: [], error: null, done: true });
    expect(asked).toEqual(["https://voice.example/base/readyz"]);
  });

  test.each<[string, Record<string, string>, number, number]>([
    ["as the service asks", { "Retry-After": "3" }, 2_900, 3_100],
    ["every 2 s where it does not say", {}, 1_900, 2_100],
    ["every 5 s at least", { "Retry-After": "600" }, 4_900, 5_100],
    ["every 2 s where it says nonsense", { "Retry-After": "soon" }, 1_900, 2_100],
  ])("asks again %s", async (_, headers, earlyMs, lateMs) => {
    answers(unready("models load", headers), () => Response.json({}));
    expect((await waiting(earlyMs)).done).toBe(false);
    answers(unready("models load", headers), () => Response.json({}));
    expect(await waiting(lateMs)).toEqual({ told: ["models load"], error: null, done: true });
  });

  it("goes on over answers that say nothing", async () => {
    answers(() => new Response("<html>", { status: 502 }), () => Response.json({}));
    expect(await waiting(3_000)).toEqual({ told: [""], error: null, done: true });
  });

  it("ends where the service is gone, full, or not ready for two minutes", async () => {
    answers(() => { throw new TypeError("gone"); });
    expect((await waiting(0)).error).toMatchObject({ code: "unreachable" });
    answers(() => Response.json({ status: "at_capacity" }, { status: 503 }));
    expect((await waiting(0)).error).toMatchObject({ code: "at_capacity" });
    answers(unready("models load"));
    expect((await waiting(119_000)).error).toBeNull();
    answers(unready("models load"));
    expect((await waiting(123_000)).error).toMatchObject({ code: "not_ready", detail: "models load" });
  });

  it("ends with the call", async () => {
    answers(unready("models load"));
    const over = new AbortController();
    const state = waiting(10_000, over.signal);
    over.abort();
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await state).error).toMatchObject({ code: "client_left" });
  });
});

describe("the HTTP API", () => {
  const http = (token: string | null = "a key") => new ServiceHttp(SERVICE, async () => token);

  it("is asked with the token, below the service's address", async () => {
    const sent: Array<[string, RequestInit]> = [];
    vi.stubGlobal("fetch", async (url: URL, init: RequestInit) => {
      sent.push([String(url), init]);
      return Response.json({ id: "c1" });
    });
    expect(await http().json("POST", "v1/things", { id: "string" }, jsonBody({ a: 1 }))).toEqual({ id: "c1" });
    await http(null).request("GET", "v1/things");
    const [[url, { method, cache, body, headers }], [, open]] = sent as [[string, RequestInit], [string, RequestInit]];
    expect([url, method, cache, body]).toEqual(["https://voice.example/base/v1/things", "POST", "no-store", '{"a":1}']);
    const names = ["Authorization", "Content-Type"];
    expect(names.map((name) => (headers as Headers).get(name))).toEqual(["Bearer a key", "application/json"]);
    expect(names.map((name) => (open.headers as Headers).get(name))).toEqual([null, null]);
  });

  it("is given up after half a minute", async () => {
    vi.useRealTimers();
    const over = new AbortController();
    vi.spyOn(AbortSignal, "timeout").mockReturnValue(over.signal);
    vi.stubGlobal("fetch", () => { over.abort(); throw new DOMException("", "TimeoutError"); });
    await expect(http().request("GET", "x")).rejects.toMatchObject({ code: "timeout", fault: "network" });
    vi.restoreAllMocks();
  });

  it("fails where the token cannot be had, before anything is asked", async () => {
    const asked = answers(() => Response.json({}));
    const without = new ServiceHttp(SERVICE, async () => { throw new VoicePeerError("token_failed"); });
    await expect(without.request("GET", "x")).rejects.toMatchObject({ code: "token_failed" });
    expect(asked).toEqual([]);
  });

  test.each<[string, unknown, number, object]>([
    ["our form", { error: { code: "stock_voice", message: "the engine's" } }, 403, { code: "stock_voice", detail: "the engine's" }],
    ["no code", { error: { message: "odd" } }, 500, { code: "internal", detail: "odd" }],
    ["a list", [], 400, { code: "internal" }],
    ["a text for an error", { error: "no" }, 401, { code: "unauthorized" }],
  ])("tells refusals in %s", async (_, body, status, expected) => {
    answers(() => Response.json(body, { status }));
    await expect(http().request("GET", "x")).rejects.toMatchObject(expected);
  });
});
