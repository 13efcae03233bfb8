import { createDecipheriv } from "node:crypto";
import { expect, test } from "vitest";
import { encryptorOf, VIDEO_PATTERN, WHOLE_PATTERN } from "../../../../src/media/cenc/cbcs.ts";

const [key, iv] = [1, 2].map((start) => Uint8Array.from({ length: 16 }, (_, n) => start * 16 + n)) as [
  Uint8Array<ArrayBuffer>,
  Uint8Array<ArrayBuffer>,
];
const clear = (bytes: number) => Uint8Array.from({ length: bytes }, (_, n) => (n * 7) % 256);

async function encrypted(bytes: number, runs: { offset: number; length: number }[], pattern = VIDEO_PATTERN) {
  const out = clear(bytes);
  await (
    await encryptorOf({ keyId: crypto.randomUUID(), key, iv })
  )(out, runs, pattern);
  return out;
}

/** Blocks of a run, decrypted by node:crypto as one chain. */
function decryptChain(blocks: Uint8Array[]): Buffer {
  const decipher = createDecipheriv("aes-128-cbc", key, iv).setAutoPadding(false);
  return Buffer.concat([decipher.update(Buffer.concat(blocks)), decipher.final()]);
}

test.each([0, 15, 16, 17, 159, 160, 175, 176, 1000])(
  "of %i bytes of video, every tenth whole block from the first is encrypted, as one chain",
  async (bytes) => {
    const out = await encrypted(bytes + 10, [{ offset: 5, length: bytes }]);
    const whole = Math.floor(bytes / 16);
    const chosen = Array.from({ length: whole }, (_, block) => block).filter((block) => block % 10 === 0);
    const restored = Buffer.from(out);
    const chain = decryptChain(chosen.map((block) => out.subarray(5 + block * 16, 5 + block * 16 + 16)));
    for (const [n, block] of chosen.entries()) chain.copy(restored, 5 + block * 16, n * 16, n * 16 + 16);
    expect(restored.equals(clear(bytes + 10))).toBe(true);
    for (const block of chosen)
      expect(out.subarray(5 + block * 16, 5 + block * 16 + 16)).not.toEqual(
        clear(bytes + 10).subarray(5 + block * 16, 5 + block * 16 + 16),
      );
  },
);

test("of sound, every whole block is encrypted, and the rest of a sample stays clear", async () => {
  const out = await encrypted(100, [{ offset: 0, length: 100 }], WHOLE_PATTERN);
  expect(decryptChain([out.subarray(0, 96)]).equals(clear(96))).toBe(true);
  expect(out.subarray(96)).toEqual(clear(100).subarray(96));
});

test("each run begins a chain of its own, so that equal runs are equal encrypted", async () => {
  const out = await encrypted(512, [
    { offset: 0, length: 100 },
    { offset: 256, length: 100 },
  ]);
  expect(out.subarray(0, 16)).toEqual(out.subarray(256, 272)); // 256 is a period of the clear bytes
  expect(out.subarray(100, 256)).toEqual(clear(512).subarray(100, 256));
});
