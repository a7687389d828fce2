/** Rooms that are at another service: the client goes there, as far as that is safe. */

import { describe, expect, it, test } from "vitest";
import { elsewhere } from "../src/address.js";
import { browser, call, fakeBrowser, of, pass } from "./kit/browser.js";

fakeBrowser();

const urls = () => browser.service.sockets.map(({ url }) => String(url));
const redirects = (...to: string[]) => {
  browser.service.onJoin = (join) => {
    const url = to.shift();
    return url === undefined ? { restored: typeof join["resume_token"] === "string" } : { type: "redirect", url };
  };
};

describe("a room that is elsewhere", () => {
  it("is joined there, with the same token, and so are the voices of that service", async () => {
    redirects("https://b.example/voice");
    browser.http["v1/audio/voices"] = () => Response.json({ data: [], has_more: false });
    const { peer } = await call({ token: "a key", room: "hall" });
    expect(urls()).toEqual(["wss://voice.example/base/ws", "wss://b.example/voice/ws"]);
    expect(browser.service.joins[1]).toEqual(browser.service.joins[0]);
    expect(browser.service.sockets[0]?.readyState).toBe(3);
    await peer.voices.list();
    expect(browser.requests.at(-1)?.url).toBe("https://b.example/voice/v1/audio/voices?limit=100");
  });

  it("is looked for at the first service again after a loss", async () => {
    redirects("https://b.example");
    const { peer } = await call();
    redirects("https://c.example");
    browser.service.channel.break();
    await pass(1_000);
    expect(urls().slice(2)).toEqual(["wss://voice.example/base/ws", "wss://c.example/ws"]);
    expect(browser.service.joins.at(-1)).toMatchObject({ resume_token: "t1" });
    expect(peer.state).toBe("connected");
  });

  it("is followed three times, and not for ever", async () => {
    redirects("https://b.example", "https://c.example", "https://d.example");
    await call();
    expect(urls().length).toBe(4);
    redirects("https://b.example", "https://c.example", "https://d.example", "https://e.example");
    await expect(call()).rejects.toMatchObject({ code: "room_elsewhere", fault: "service", detail: "https://e.example" });
    expect(urls().length).toBe(8);
  });

  it("is not gone to where the application does that itself", async () => {
    redirects("https://b.example");
    await expect(call({ follow: false })).rejects.toMatchObject({ code: "room_elsewhere", detail: "https://b.example" });
    expect(urls().length).toBe(1);
  });

  it("ends a call that comes back to it and may not follow", async () => {
    const { told } = await call({ follow: false });
    redirects("https://b.example");
    browser.service.channel.break();
    await pass(1_000);
    expect(of(told, "closed")).toEqual([expect.objectContaining({ reason: "room_elsewhere" })]);
  });
});

test.each([
  ["https://a.example/", "http://b.example", null], ["https://a.example/", "ftp://b.example", null],
  ["https://a.example/", "javascript:alert(1)", null], ["http://a.example/", "http://", null],
  ["https://a.example/", "wss://b.example", null],
  ["http://a.example/", "http://b.example:81/x", "http://b.example:81/x/"],
  ["http://a.example/", "https://b.example?key=1#x", "https://b.example/"],
])("from %s to %s one goes to %s", (service, address, goes) => {
  expect(elsewhere(new URL(service), address)?.href ?? null).toBe(goes);
});
