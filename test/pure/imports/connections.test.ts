/** How sources are reached: base URLs, pace, and what an answer means before a source reads it. */
import { describe, expect, test } from "vitest";
import { readBaseUrls } from "../../../src/imports/connections/base-urls.ts";
import { Pace } from "../../../src/imports/connections/pace.ts";
import { parseJson, requireAnswer } from "../../../src/imports/connections/read-reply.ts";
import { SourceFailure } from "../../../src/imports/sources/source.ts";

describe("IMPORT_BASE_URLS", () => {
  test.for(["cloudflare_stream", "cloudflare-stream", "Cloudflare Stream", "cloudflare"])("knows %s", (name) => {
    expect(readBaseUrls(JSON.stringify({ [name]: "http://127.0.0.1:8100/" }))).toEqual({
      cloudflare_stream: "http://127.0.0.1:8100",
    });
  });

  test("keeps paths, and ignores other names", () => {
    const text = JSON.stringify({ "api.video": "https://a.test/ws/", wistia: "https://b.test" });
    expect(readBaseUrls(text)).toEqual({ api_video: "https://a.test/ws" });
  });

  test.for(["[]", "null", '"http://a"', "{", '{"mux":1}', '{"mux":"ftp://a"}', '{"mux":"http://"}'])(
    "%s is none",
    (text) => {
      expect(readBaseUrls(text)).toBeNull();
    },
  );

  test("may be empty", () => {
    expect([readBaseUrls(""), readBaseUrls(undefined)]).toEqual([{}, {}]);
  });
});

describe("the pace of a source", () => {
  /** When each of some calls at once is let through, ms. */
  async function timesOf(kinds: ("read" | "write")[]): Promise<number[]> {
    let nowMs = 10_000;
    const pauses: number[] = [];
    const clock = () => nowMs;
    const pace = new Pace({ readsPerSecond: 4, writesPerSecond: 1, concurrency: 8 }, clock, async (ms) => {
      pauses.push(ms);
    });
    const times: number[] = [];
    for (const kind of kinds) {
      const before = pauses.length;
      await pace.turn(kind);
      nowMs += pauses.slice(before).reduce((sum, ms) => sum + ms, 0);
      times.push(nowMs - 10_000);
    }
    return times;
  }

  test("allows a burst of one second, then keeps the rate", async () => {
    expect(await timesOf(Array<"read">(12).fill("read"))).toEqual([
      0, 0, 0, 0, 0, 250, 500, 750, 1000, 1250, 1500, 1750,
    ]);
  });

  test("counts writes on their own", async () => {
    expect(await timesOf(["write", "read", "write", "read", "write"])).toEqual([0, 0, 0, 0, 1000]);
  });
});

describe("an answer", () => {
  const failureOf = (status: number, headers: Record<string, string> = {}, text = "") => {
    try {
      requireAnswer("Mux", status, new Headers(headers), text, 1_000_000_000_000);
      return null;
    } catch (error) {
      if (!(error instanceof SourceFailure)) throw error;
      return [error.code, error.retryAfterMs];
    }
  };

  test.for([200, 204, 302, 400, 401, 404])("%i is for the source to read", (status) => {
    expect(failureOf(status)).toBeNull();
  });

  test("429 asks for a pause, of an hour at most", () => {
    expect(failureOf(429, { "retry-after": "7" })).toEqual(["source_rate_limited", 7000]);
    expect(failureOf(429)).toEqual(["source_rate_limited", 60_000]);
    expect(failureOf(429, { "retry-after": "86400" })).toEqual(["source_rate_limited", 3_600_000]);
  });

  test("503 is a pause only with a time or with the code of S3", () => {
    expect(failureOf(503, { "retry-after": "2" })).toEqual(["source_rate_limited", 2000]);
    expect(failureOf(503, {}, "<Error><Code>SlowDown</Code></Error>")).toEqual(["source_rate_limited", 10_000]);
    expect(failureOf(503)).toEqual(["source_unavailable", 10_000]);
    expect(failureOf(500)).toEqual(["source_unavailable", 10_000]);
  });

  test("a web page is no JSON, and its text is not shown", () => {
    expect(() => parseJson("Vimeo", "<html>secret</html>")).toThrow(
      "Vimeo answered with a web page where JSON was expected.",
    );
    expect(() => parseJson("Vimeo", "secret")).toThrow("Vimeo answered with text where JSON was expected.");
  });
});
