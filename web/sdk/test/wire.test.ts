/** What comes over the wire is checked before anybody is told of it. */

import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { open, seal } from "../src/envelope.js";
import { judgeMessage, judgeSignal } from "../src/shapes.js";
import { readSignal } from "../src/signaling.js";
import { MESSAGE_SHAPES, SIGNAL_SHAPES } from "../src/wire.js";

const envelope = (type: unknown, data?: unknown, id: unknown = "") =>
  JSON.stringify({ label: "rtvi-ai", type, id, data });

const SAMPLES: Record<string, fc.Arbitrary<unknown>> = {
  string: fc.string(), number: fc.double({ noNaN: true, noDefaultInfinity: true }), boolean: fc.boolean(),
  null: fc.constant(null), object: fc.dictionary(fc.string(), fc.jsonValue()),
};

function valueOf(type: string): fc.Arbitrary<unknown> {
  return fc.oneof(...type.replace(/\?$/, "").split("|").map((one) =>
    (one.endsWith("[]") ? fc.array(SAMPLES[one.slice(0, -2)] as fc.Arbitrary<unknown>) : SAMPLES[one] as fc.Arbitrary<unknown>)));
}

/** Fields that fit the shape; optional ones are sometimes left out. */
function fieldsOf(shape: Readonly<Record<string, string>>): fc.Arbitrary<Record<string, unknown>> {
  const values = Object.fromEntries(Object.entries(shape).map(([field, type]) => [field, valueOf(type)]));
  return fc.record(values, { requiredKeys: Object.keys(shape).filter((field) => !shape[field]?.endsWith("?")) });
}

describe("messages", () => {
  test.each(Object.entries(MESSAGE_SHAPES))("of the name %s are taken with all fields that they may have", (name, shape) => {
    fc.assert(fc.property(fieldsOf(shape), (fields) => {
      expect(judgeMessage(name, fields)).toBe("fits");
    }), { numRuns: 30 });
  });

  const withFields = Object.entries(MESSAGE_SHAPES).filter(([, shape]) => Object.keys(shape).length > 0);
  test.each(withFields)("of the name %s are refused when a field is of another type", (name, shape) => {
    fc.assert(fc.property(fieldsOf(shape), fc.constantFrom(...Object.keys(shape)), (fields, spoiled) => {
      const wrong = [Symbol.iterator, undefined, () => 0].map((value) => ({ ...fields, [spoiled]: value }));
      for (const one of wrong) expect(judgeMessage(name, one)).toBe("broken");
    }), { numRuns: 10 });
  });

  test.each(Object.entries(SIGNAL_SHAPES))("of signaling, %s, are checked alike", (type, shape) => {
    fc.assert(fc.property(fieldsOf(shape), (fields) => {
      expect(judgeSignal(type, fields)).toBe("fits");
      expect(readSignal(JSON.stringify({ ...fields, type }))?.type).toBe(type);
    }), { numRuns: 20 });
  });

  it("of names that only newer services know are passed over", () => {
    expect(judgeMessage("voice.sung", {})).toBe("unknown");
    expect(judgeMessage("toString", {})).toBe("unknown");
    expect(open(envelope("server-message", { t: "voice.sung", d: {} }))).toBeNull();
  });

  test.each([
    ["a field is missing", { voice_id: "v" }],
    ["a number is none", { utterance_id: "u", queued: "1" }],
    ["a number is not finite", { utterance_id: "u", queued: Number.NaN }],
  ])("are broken where %s", (_, fields) => {
    expect(judgeMessage("utterance.accepted", fields)).toBe("broken");
  });

  it("may have fields that nobody knows", () => {
    expect(judgeMessage("utterance.accepted", { utterance_id: "u", queued: 0, more: 1 })).toBe("fits");
  });
});

describe("envelopes", () => {
  it("hold our own messages", () => {
    const text = envelope("server-message", { t: "utterance.accepted", d: { utterance_id: "u", queued: 2 } });
    expect(open(text)).toEqual({ kind: "event", name: "utterance.accepted", id: "", fields: { utterance_id: "u", queued: 2 } });
  });

  it("hold RTVI's messages", () => {
    expect(open(envelope("bot-interrupted", {}))).toMatchObject({ kind: "event", name: "bot-interrupted", fields: {} });
    expect(open(envelope("bot-interrupted"))).toMatchObject({ name: "bot-interrupted", fields: {} });
  });

  it("tell answers and refusals by their ids", () => {
    expect(open(envelope("server-response", { t: "stats.get", d: { a: 1 } }, "r7"))).toEqual(
      { kind: "answer", name: "stats.get", id: "r7", fields: { a: 1 } });
    expect(open(envelope("error-response", { error: "no", code: "forbidden" }, "r7"))).toEqual(
      { kind: "refusal", name: "error-response", id: "r7", fields: { error: "no", code: "forbidden" } });
    expect(open(envelope("server-response", { t: "stats.get" }, 7))).toMatchObject({ id: "" });
  });

  test.each([
    ["a number", 7], ["no JSON", "{"], ["a list", "[]"], ["null", "null"], ["another label", '{"label": "x", "type": "y"}'],
  ])("are none: %s", (_, text) => {
    expect(open(text)).toBeNull();
  });

  test.each([
    ["no type", envelope(undefined, {})],
    ["data that is no object", envelope("bot-interrupted", [])],
    ["no name", envelope("server-message", { d: {} })],
    ["fields that are none", envelope("server-message", { t: "pong", d: 7 })],
    ["an error without a code", envelope("error", { error: "no" })],
    ["an answer to nothing", envelope("server-response", {})],
  ])("are broken: %s", (_, text) => {
    expect(open(text)).toBe("broken");
  });

  it("never throw, whatever comes", () => {
    const anything = fc.oneof(fc.string(), fc.jsonValue().map((value) => JSON.stringify(value)),
      fc.record({ label: fc.constant("rtvi-ai"), type: fc.jsonValue(), id: fc.jsonValue(), data: fc.jsonValue() })
        .map((value) => JSON.stringify(value)));
    fc.assert(fc.property(anything, (text) => {
      open(text);
      readSignal(text);
    }), { numRuns: 500 });
  });

  it("of ours have the name inside, RTVI's outside", () => {
    expect(JSON.parse(seal("utterance.cancel", {}, "r1"))).toEqual(
      { label: "rtvi-ai", type: "client-message", id: "r1", data: { t: "utterance.cancel", d: {} } });
    expect(JSON.parse(seal("client-ready", { version: "2.1.0" }))).toEqual(
      { label: "rtvi-ai", type: "client-ready", id: "", data: { version: "2.1.0" } });
  });
});
