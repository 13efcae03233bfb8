import { describe, expect, test } from "vitest";
import { WITHHELD, withoutSecrets } from "../../../src/mcp/without-secrets.ts";

const NONE = new Set<string>();
const STREAM_KEY = `${"0123456789abcdef".repeat(2)}k${"fedcba9876543210".repeat(2)}`;
const TOKEN = "eyJhbGciOiJSUzI1NiJ9.eyJhdWQiOiJtZWRpYSJ9.c2lnbmF0dXJl";

test("fields with names of secrets are withheld at every depth", () => {
  const answer = {
    data: [{ streamKey: "a", srtSecret: "b", nested: { privateKey: "c", token: "d", password: "e" } }],
    stream_key: "f",
    signature: "g",
  };
  expect(JSON.stringify(withoutSecrets(answer, NONE))).not.toMatch(/:"[a-g]"/);
});

test("ids, flags, counts and names that only contain such a word stay", () => {
  const answer = {
    streamId: "1f",
    signingKeyId: "k1",
    hasSecret: true,
    keySystems: ["clearkey"],
    secretKey: null,
    tokens: 3,
  };
  expect(withoutSecrets(answer, NONE)).toEqual(answer);
});

test("the addresses of an encoder and that of a webhook are withheld", () => {
  const answer = {
    ingest: { rtmp: "rtmp://a/b" },
    event: { webhookId: "w", url: "https://hooks.test/T0/B0" },
    url: "https://a.test/b",
  };
  expect(withoutSecrets(answer, NONE)).toEqual({
    ingest: WITHHELD,
    event: { webhookId: "w", url: WITHHELD },
    url: "https://a.test/b",
  });
});

describe("credentials in texts", () => {
  test.each([
    ["https://a.test/f.mp4?X-Amz-Signature=abc&part=1", "https://a.test/f.mp4?X-Amz-Signature=withheld&part=1"],
    ["https://a.test/f.mp4?sv=1&sig=abc%3D#t", "https://a.test/f.mp4?sv=1&sig=withheld#t"],
    ["srt://a.test:890?streamid=abc&passphrase=def", "srt://a.test:890?streamid=withheld&passphrase=withheld"],
    ["could not fetch https://a.test/f?token=abc, twice", "could not fetch https://a.test/f?token=withheld twice"],
    ["rtmp://user:pass@a.test/live", "rtmp://withheld@a.test/live"],
    [`https://a.test/ingest/${STREAM_KEY}`, "https://a.test/ingest/withheld"],
    [`https://a.test/upload/${TOKEN}`, "https://a.test/upload/withheld"],
    [`key ${STREAM_KEY}`, "key withheld"],
    [`use ${STREAM_KEY}.`, "use withheld."],
    [`live-${STREAM_KEY}`, "live-withheld"],
    [`live${STREAM_KEY}_2`, "livewithheld_2"],
    [`use ${TOKEN}.`, "use withheld."],
    [`${TOKEN}-or.${TOKEN}.`, "withheld.withheld."],
    [`for-${TOKEN}`, "for-withheld"],
  ])("%s", (text, safe) => {
    expect(withoutSecrets({ text }, NONE)).toEqual({ text: safe });
  });

  test.each([
    "https://res.test/video/upload/v1/film.mp4?w=100&autoplay=1",
    "What is a token? It = a word",
    "me@example.com",
    "00000000-0000-4000-8000-000000000000",
    `${"a".repeat(300)}.test`,
    "0123456789abcdef".repeat(8),
    `${STREAM_KEY.slice(1)} ${STREAM_KEY.slice(0, -1)}`,
  ])("%s stays", (text) => {
    expect(withoutSecrets(text, NONE)).toBe(text);
  });
});

test("names of metadata say nothing, credentials in its addresses are withheld", () => {
  const metadata = { password: "of the door", link: "https://a.test/?token=abc" };
  expect(withoutSecrets({ metadata }, NONE)).toEqual({
    metadata: { password: "of the door", link: "https://a.test/?token=withheld" },
  });
});

test("fields that a tool keeps are returned as they are", () => {
  const answer = { data: { url: "https://a.test/?signature=abc", other: "https://a.test/?signature=abc" } };
  expect(withoutSecrets(answer, new Set(["url"]))).toEqual({
    data: { url: "https://a.test/?signature=abc", other: "https://a.test/?signature=withheld" },
  });
});

test.each([
  "?",
  "?token",
  "eyJ.",
  "eyJ-",
  "://a",
  "://",
  "?a=",
  "&",
  "0123456789abcdefk",
  "a-",
  "0123456789abcdef",
  "eyJ-eyJ-.",
  `${"eyJ-".repeat(120)}.`,
])("a text of 256 KiB of %j takes no time that matters", (part) => {
  const text = part.repeat((256 * 1024) / part.length);
  const startMs = performance.now();
  withoutSecrets(text, NONE);
  expect(performance.now() - startMs).toBeLessThan(1000);
});
