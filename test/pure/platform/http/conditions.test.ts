import { expect, test } from "vitest";
import { readConditions } from "../../../../src/platform/http/conditions.ts";
import { acceptsGzip } from "../../../../src/playback/accepts-gzip.ts";

const ask = (headers: Record<string, string>, method = "GET") =>
  readConditions(new Request("https://sluice.test/", { headers, method }), '"tag"', 1000);
const whole = { status: 200, from: 0, to: 1000 };

test.each([
  [{}, whole],
  [{ range: "bytes=0-0" }, { status: 206, from: 0, to: 1 }],
  [{ range: "bytes=500-" }, { status: 206, from: 500, to: 1000 }],
  [{ range: "bytes=-100" }, { status: 206, from: 900, to: 1000 }],
  [{ range: "bytes=-5000" }, { status: 206, from: 0, to: 1000 }],
  [{ range: "bytes=990-5000" }, { status: 206, from: 990, to: 1000 }],
  [{ range: "bytes=1000-" }, { status: 416 }],
  [{ range: "bytes=-0" }, { status: 416 }],
  [{ range: "bytes=5-1" }, whole],
  [{ range: "bytes=0-1,5-6" }, whole],
  [{ range: "frames=0-1" }, whole],
  [{ range: "bytes=-" }, whole],
  [
    { range: "bytes=0-0", "if-range": '"tag"' },
    { status: 206, from: 0, to: 1 },
  ],
  [{ range: "bytes=0-0", "if-range": '"other"' }, whole],
  [{ range: "bytes=0-0", "if-range": 'W/"tag"' }, whole],
  [{ "if-none-match": '"tag"' }, { status: 304 }],
  [{ "if-none-match": 'W/"x", W/"tag"' }, { status: 304 }],
  [{ "if-none-match": "*" }, { status: 304 }],
  [
    { "if-none-match": '"x"', range: "bytes=0-0" },
    { status: 206, from: 0, to: 1 },
  ],
  [{ "if-none-match": '"tag"', range: "bytes=0-0" }, { status: 304 }],
])("%j asks for %j", (headers, wanted) => {
  expect(ask(headers as Record<string, string>)).toEqual(wanted);
});

test("HEAD ignores ranges", () => {
  expect(ask({ range: "bytes=0-0" }, "HEAD")).toEqual(whole);
});

test.each([
  ["gzip, deflate, br", true],
  ["*", true],
  ["br", false],
  ["gzip;q=0, br", false],
  [null, false],
])("Accept-Encoding %j accepts gzip: %j", (header, expected) => {
  expect(acceptsGzip(header)).toBe(expected);
});
