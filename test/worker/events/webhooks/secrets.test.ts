import { describe, expect, test } from "vitest";
import {
  isSealedWithCurrent,
  newSecret,
  openSecret,
  SealError,
  sealSecret,
} from "../../../../src/events/webhooks/records/secrets.ts";
import { importSigningKey } from "../../../../src/events/webhooks/attempt/signature.ts";

const keyText = (fill: number) => btoa(String.fromCharCode(...new Uint8Array(32).fill(fill)));
const K1 = `k1:${keyText(1)}`;
const K2 = `k2:${keyText(2)}`;
const WEBHOOK = "5f7c9a10-0000-4000-8000-000000000001";
const OTHER_WEBHOOK = "5f7c9a10-0000-4000-8000-000000000002";

async function expectSealError(work: Promise<unknown>): Promise<Error> {
  const thrown: unknown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(thrown instanceof SealError)) throw new Error(`expected a SealError, got ${String(thrown)}`);
  return thrown;
}

describe("a new secret", () => {
  test("is unique padded Base64 of 32 bytes, and signs", async () => {
    const secrets = Array.from({ length: 200 }, newSecret);
    for (const secret of secrets) {
      expect(secret).toMatch(/^[A-Za-z0-9+/]{43}=$/);
      expect(atob(secret)).toHaveLength(32);
      expect(btoa(atob(secret))).toBe(secret);
    }
    expect(new Set(secrets).size).toBe(200);
    await expect(importSigningKey(secrets[0]!)).resolves.toBeDefined();
  });
});

describe("a sealed secret", () => {
  test("opens to the original secret and does not contain it", async () => {
    const secret = newSecret();
    const sealed = await sealSecret(K1, WEBHOOK, secret);
    expect(sealed).toMatch(/^k1\.[\w-]{16}\.[\w-]+$/);
    expect(sealed).not.toContain(secret.slice(0, 8));
    expect(await openSecret(K1, WEBHOOK, sealed)).toBe(secret);
  });

  test("differs each time", async () => {
    const secret = newSecret();
    const sealed = await Promise.all(Array.from({ length: 50 }, () => sealSecret(K1, WEBHOOK, secret)));
    expect(new Set(sealed).size).toBe(50);
  });

  test("does not open for another webhook", async () => {
    const secret = newSecret();
    const sealed = await sealSecret(K1, WEBHOOK, secret);
    const error = await expectSealError(openSecret(K1, OTHER_WEBHOOK, sealed));
    expect(error.message).not.toContain(secret);
  });

  test("does not open with another key of the same id, or without its key", async () => {
    const sealed = await sealSecret(K1, WEBHOOK, newSecret());
    await expectSealError(openSecret(`k1:${keyText(9)}`, WEBHOOK, sealed));
    expect((await expectSealError(openSecret(K2, WEBHOOK, sealed))).message).toContain('"k1"');
  });

  test("does not open when any character is changed", async () => {
    const sealed = await sealSecret(K1, WEBHOOK, newSecret());
    const [id = "", nonce = "", text = ""] = sealed.split(".");
    const other = (char: string) => (char === "A" ? "B" : "A");
    for (let at = 0; at < nonce.length; at++) {
      const changed = nonce.slice(0, at) + other(nonce[at]!) + nonce.slice(at + 1);
      await expectSealError(openSecret(K1, WEBHOOK, `${id}.${changed}.${text}`));
    }
    for (let at = 0; at < text.length - 1; at++) {
      const changed = text.slice(0, at) + other(text[at]!) + text.slice(at + 1);
      await expectSealError(openSecret(K1, WEBHOOK, `${id}.${nonce}.${changed}`));
    }
  });

  test.each(["", ".", "k1", "k1..", "k1.AAAA", "k1.AAAA.BBBB", "k1.!!!!.BBBB", "k1.AAAAAAAAAAAAAAAA.", "a.b.c.d"])(
    "that reads %j is malformed or does not open",
    async (sealed) => {
      await expectSealError(openSecret(K1, WEBHOOK, sealed));
    },
  );
});

describe("when the sealing keys are rotated", () => {
  test("a secret sealed with the older key opens, and is reported as not sealed with the current key", async () => {
    const secret = newSecret();
    const before = await sealSecret(K1, WEBHOOK, secret);
    const rotated = `${K2},${K1}`;
    expect(await openSecret(rotated, WEBHOOK, before)).toBe(secret);
    expect(isSealedWithCurrent(K1, before)).toBe(true);
    expect(isSealedWithCurrent(rotated, before)).toBe(false);

    const after = await sealSecret(rotated, WEBHOOK, await openSecret(rotated, WEBHOOK, before));
    expect(isSealedWithCurrent(rotated, after)).toBe(true);
    expect(await openSecret(K2, WEBHOOK, after)).toBe(secret); // without the older key
  });

  test("a key id that is a prefix of another is a different key", async () => {
    const sealed = await sealSecret(`k11:${keyText(3)}`, WEBHOOK, newSecret());
    expect(isSealedWithCurrent(`k1:${keyText(1)}`, sealed)).toBe(false);
  });
});

describe("keys that cannot be used", () => {
  const short = btoa("short");
  test.each([
    ["none", ""],
    ["no id", keyText(1)],
    ["an empty id", `:${keyText(1)}`],
    ["an id with a dot, which would end it in the sealed text", `k.1:${keyText(1)}`],
    ["a short key", `k1:${short}`],
    ["no Base64", "k1:%%%%"],
    ["a trailing comma", `${K1},`],
    ["a broken older key", `${K2},k1:${short}`],
    ["the same id twice", `${K1},k1:${keyText(2)}`],
  ])("%s: nothing is sealed, and the error contains no key", async (_, keys) => {
    const secret = newSecret();
    const { message } = await expectSealError(sealSecret(keys, WEBHOOK, secret));
    expect(message).not.toContain(secret);
    for (const hidden of [keyText(1), keyText(2), short]) expect(message).not.toContain(hidden);
  });

  test("spaces and line breaks around the entries are ignored", async () => {
    const sealed = await sealSecret(` ${K2} ,\n${K1}\n`, WEBHOOK, "secret");
    expect(await openSecret(K2, WEBHOOK, sealed)).toBe("secret");
  });
});
