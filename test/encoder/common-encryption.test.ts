/** Common Encryption of our segments, checked by an implementation that is not ours: libav decrypts them. */
import { Demuxer } from "node-av/api";
import { beforeAll, describe, expect, test } from "vitest";
import { encryptorOf } from "../../src/media/cenc/cbcs.ts";
import type { ContentKey, Protection } from "../../src/media/cenc/content-key.ts";
import { protectInit } from "../../src/media/cenc/protect-init.ts";
import { protectMedia } from "../../src/media/cenc/protect-media.ts";
import { commonPssh } from "../../src/media/cenc/pssh.ts";
import { AvcSubsamples } from "../../src/media/cenc/subsamples.ts";
import { findContent } from "../../src/media/mp4/fragment-samples.ts";
import { toHex } from "../../protocol/hex.ts";
import { type Cut, cutAll } from "../support/cut-source.ts";

const KEY: ContentKey = {
  keyId: "0f3b1c2d-4e5f-4a6b-8c7d-9e0f1a2b3c4d",
  key: Uint8Array.from({ length: 16 }, (_, n) => n * 7 + 1),
  iv: Uint8Array.from({ length: 16 }, (_, n) => 255 - n * 3),
};
const PROTECTION: Protection = {
  keyId: KEY.keyId,
  iv: KEY.iv,
  signals: [{ keySystem: "clearkey", pssh: commonPssh(KEY.keyId), hlsUri: "" }],
};

const STBL = ["moov", "trak", "mdia", "minf", "stbl"].map((type) => ({ type }));
const AVC_C = [...STBL, { type: "stsd", skip: 8 }, { type: "avc1", skip: 78 }, { type: "avcC" }];

/** @param chunkBytes the size of the chunks in which the clear segment arrives */
async function protect({ init, segments }: Cut, chunkBytes: number): Promise<Buffer> {
  const avcC = findContent(init, AVC_C);
  const track = { encrypt: await encryptorOf(KEY), subsamples: avcC && new AvcSubsamples(avcC) };
  const parts: Uint8Array[] = [protectInit(init, PROTECTION)];
  for (const segment of segments)
    for await (const part of protectMedia(inChunks(segment, chunkBytes), track)) parts.push(part);
  return Buffer.concat(parts);
}

function inChunks(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
}

async function packetsOf(bytes: Buffer, key: Uint8Array | null) {
  const options = key === null ? {} : { decryption_key: toHex(key) };
  await using demuxer = await Demuxer.open(bytes, { copyTs: true, options });
  const found: { dts: bigint; pts: bigint; isKey: boolean; data: string }[] = [];
  for await (const packet of demuxer.packets()) {
    if (packet === null) break;
    found.push({ dts: packet.dts, pts: packet.pts, isKey: packet.isKeyframe, data: packet.data!.toString("base64") });
  }
  return found;
}

describe.each([
  ["flower", "source-v"],
  ["friday", "source-v"],
  ["flower", "source-a1"],
  ["friday", "source-a1"],
] as const)("%s.mp4, %s, encrypted with cbcs", (name, rendition) => {
  let cut: Cut;
  let clear: Awaited<ReturnType<typeof packetsOf>>;
  beforeAll(async () => {
    cut = await cutAll(`test/fixtures/${name}.mp4`, rendition);
    clear = await packetsOf(Buffer.concat([cut.init, ...cut.segments]), null);
  });

  test.each([1 << 20, 977])(
    "is, decrypted by libav, the same samples, byte for byte, in chunks of %i bytes",
    async (chunkBytes) => {
      expect(clear.length).toBeGreaterThan(50);
      expect(await packetsOf(await protect(cut, chunkBytes), KEY.key)).toEqual(clear);
    },
  );

  test("has no sample that libav reads without the key as it was", async () => {
    const encrypted = await packetsOf(await protect(cut, 1 << 20), null);
    expect(encrypted).toHaveLength(clear.length);
    const long = clear.flatMap(({ data }, n) => (data.length > 200 ? [n] : []));
    expect(long.length).toBeGreaterThan(40);
    expect(long.filter((n) => encrypted[n]!.data === clear[n]!.data)).toEqual([]);
  });
});
