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

const ready = () => Response.json({ status: "ready", sessions: 0, max_sessions: 4 });
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
    const asked = answers(ready);
    expect(await waiting(0)).toEqual({ told: [], error: null, done: true });
    expect(asked).toEqual(["https://voice.example/base/readyz"]);
  });

  test.each<[string, Record<string, string>, number, number]>([
    ["as the service asks", { "Retry-After": "3" }, 2_900, 3_100],
    ["every 2 s where it does not say", {}, 1_900, 2_100],
    ["every 5 s at least", { "Retry-After": "600" }, 4_900, 5_100],
    ["every 2 s where it says nonsense", { "Retry-After": "soon" }, 1_900, 2_100],
  ])("asks again %s", async (_, headers, earlyMs, lateMs) => {
    answers(unready("models load", headers), ready);
    expect((await waiting(earlyMs)).done).toBe(false);
    answers(unready("models load", headers), ready);
    expect(await waiting(lateMs)).toEqual({ told: ["models load"], error: null, done: true });
  });

  it("goes on where it does not say what it waits for", async () => {
    answers(unready(undefined), ready);
    expect(await waiting(3_000)).toEqual({ told: [""], error: null, done: true });
  });

  const refusal = (code: string, status: number) => () => Response.json({ error: { code, message: "why" } }, { status });
  test.each<[string, () => Response, object]>([
    ["a page that is not there", () => new Response("<html>", { status: 404 }), { code: "no_service", detail: "https://voice.example/base/ (404)" }],
    ["JSON of others that is not there", refusal("not_found", 404), { code: "no_service", fault: "service" }],
    ["any page at all", () => new Response("<html>"), { code: "no_service", message: expect.stringContaining("voice.example/base/ (200)") }],
    ["a health check of others", () => Response.json({ status: "ok" }), { code: "no_service" }],
    ["ready with a wrong status", () => Response.json({ status: "ready" }, { status: 404 }), { code: "no_service" }],
    ["a fault of others", () => Response.json({ status: "not_ready" }, { status: 500 }), { code: "no_service" }],
    ["a proxy without a service", () => new Response("<html>", { status: 502 }), { code: "unreachable", fault: "network" }],
    ["a proxy of an overloaded service", () => new Response("<html>", { status: 503 }), { code: "unreachable" }],
    ["a proxy that waited in vain", () => Response.json([], { status: 504 }), { code: "unreachable" }],
    ["a refusal of the page", refusal("origin_not_allowed", 403), { code: "origin_not_allowed", detail: "why" }],
    ["a refusal of a flood", refusal("rate_limit_exceeded", 429), { code: "rate_limit_exceeded", fault: "user" }],
    ["a refusal for want of places", refusal("at_capacity", 503), { code: "at_capacity" }],
  ])("is over at once where the answer is %s", async (_, answer, expected) => {
    answers(answer);
    expect(await waiting(0)).toEqual({ told: [], error: expect.objectContaining(expected), done: false });
  });

  it("is over where something answers that does not let the page read it", async () => {
    const modes: Array<string | undefined> = [];
    vi.stubGlobal("fetch", async (_: URL, { mode }: RequestInit) => {
      modes.push(mode);
      if (mode !== "no-cors") throw new TypeError("Failed to fetch");
      return Response.error();
    });
    const { error } = await waiting(0);
    expect(error).toMatchObject({ code: "origin_not_allowed", detail: expect.stringContaining("server.allowed_origins") });
    expect(modes).toEqual([undefined, "no-cors"]);
  });

  it("is over where nothing is said for 15 s", async () => {
    answers(() => new Promise<Response>(() => undefined));
    expect((await waiting(14_900)).error).toBeNull();
    expect((await waiting(15_100)).error).toMatchObject({ code: "timeout", fault: "network" });
  });

  it("ends where the service is gone, full, or not ready for two minutes", async () => {
    answers(() => { throw new TypeError("gone"); });
    expect((await waiting(0)).error).toMatchObject({ code: "unreachable", detail: "https://voice.example/base/" });
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
  const http = (token: string | null = "a key") => new ServiceHttp(() => SERVICE, async () => token);

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
    const without = new ServiceHttp(() => SERVICE, async () => { throw new VoicePeerError("token_failed"); });
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
