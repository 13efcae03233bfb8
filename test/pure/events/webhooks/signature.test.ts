import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { importSigningKey, signedHeaders } from "../../../../src/events/webhooks/attempt/signature.ts";
import { bytesOf, SECRET, SIGNED_BODIES } from "./vectors.ts";

// Base64 of the 32 bytes 0x20 … 0x3f.
const OLDER_SECRET = "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";
const EVENT_ID = "6f1c2a34-5b67-4c89-9d01-23456789abcd";
const AT_MS = 1_795_175_070_999; // 2026-11-20T…, with milliseconds, which the timestamp omits
const TIMESTAMP = "1795175070";

/** The signature by the `openssl` command, as an independent reference. */
function opensslHmac(secretBase64: string, ...pieces: Uint8Array[]): string {
  const hexKey = Buffer.from(secretBase64, "base64").toString("hex");
  const args = ["dgst", "-sha256", "-mac", "HMAC", "-macopt", `hexkey:${hexKey}`, "-binary"];
  return execFileSync("openssl", args, { input: Buffer.concat(pieces) }).toString("base64");
}

async function sign(body: Uint8Array, ...secrets: string[]): Promise<Record<string, string>> {
  const keys = await Promise.all(secrets.map(importSigningKey));
  return signedHeaders({ eventId: EVENT_ID, body, atMs: AT_MS, keys });
}

describe.each(SIGNED_BODIES)("the signatures of %s", (_, body) => {
  test("are those of openssl for the same bytes and the decoded secret", async () => {
    const standard = opensslHmac(SECRET, bytesOf(`${EVENT_ID}.${TIMESTAMP}.`), body);
    expect(await sign(body, SECRET)).toEqual({
      "service-signature": opensslHmac(SECRET, body),
      "webhook-id": EVENT_ID,
      "webhook-timestamp": TIMESTAMP,
      "webhook-signature": `v1,${standard}`,
    });
  });
});

test("a known vector, which the guide shows", async () => {
  const headers = await sign(bytesOf("{}"), SECRET);
  expect(headers["service-signature"]).toBe("hiJ/6WcioiR9z+4SwH2JwbBWe7yapqjYBIOPZqPahD8=");
});

describe("while a rotation overlaps", () => {
  const body = bytesOf('{"type":"asset.ready"}');

  test("Service-Signature uses the current key only, and the header of Standard Webhooks has both, the current one first", async () => {
    const signed = bytesOf(`${EVENT_ID}.${TIMESTAMP}.`);
    const headers = await sign(body, SECRET, OLDER_SECRET);
    expect(headers["service-signature"]).toBe(opensslHmac(SECRET, body));
    expect(headers["webhook-signature"]).toBe(
      `v1,${opensslHmac(SECRET, signed, body)} v1,${opensslHmac(OLDER_SECRET, signed, body)}`,
    );
  });
});

test("another attempt of the same event has the same Service-Signature and another timestamp", async () => {
  const keys = [await importSigningKey(SECRET)];
  const body = bytesOf("{}");
  const [first, second] = await Promise.all(
    [AT_MS, AT_MS + 5000].map((atMs) => signedHeaders({ eventId: EVENT_ID, body, atMs, keys })),
  );
  expect(second?.["service-signature"]).toBe(first?.["service-signature"]);
  expect(second?.["webhook-id"]).toBe(first?.["webhook-id"]);
  expect(second?.["webhook-timestamp"]).toBe("1795175075");
  expect(second?.["webhook-signature"]).not.toBe(first?.["webhook-signature"]);
});

test("a message without a key is not sent unsigned", async () => {
  await expect(sign(bytesOf("{}"))).rejects.toThrow(RangeError);
});

describe("a secret that is not Base64", () => {
  test.each(["not base64 at all!", "AAEC*wQF", "ab\u00e9c", ""])(
    "%j is refused without being quoted",
    async (secret) => {
      const error: unknown = await importSigningKey(secret).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(TypeError);
      if (secret !== "") expect(`${String(error)}${String((error as Error).stack)}`).not.toContain(secret);
      expect((error as Error).cause).toBeUndefined();
    },
  );

  test("a key cannot be exported", async () => {
    const key = await importSigningKey(SECRET);
    expect(key.extractable).toBe(false);
    await expect(crypto.subtle.exportKey("raw", key)).rejects.toThrow(/extract/);
  });
});
