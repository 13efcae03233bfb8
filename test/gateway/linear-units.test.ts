/** Tests the CPU cost of units and chunks of any size on the gateway's single thread. */
import { describe, expect, test } from "vitest";
import { ContainerUnits } from "../../encoder/gateway/source/container-units.ts";
import { FlvTags } from "../../encoder/gateway/simulcast/flv-tags.ts";
import { SourceBuffer } from "../../encoder/gateway/source/source-buffer.ts";

const CHUNK_BYTES = 1400; // the payload of a packet
const TOTAL_BYTES = 8 << 20;
const FLV_HEADER = Buffer.from("FLV\u0001\u0005\0\0\0\u0009\0\0\0\0", "latin1");

/** FLV of pictures that have this many bytes each. */
function flvOf(tagBytes: number): Buffer {
  const tag = Buffer.alloc(tagBytes, 0x27);
  tag[0] = 9;
  tag.writeUIntBE(tagBytes - 15, 1, 3);
  return Buffer.concat([FLV_HEADER, ...Array.from({ length: TOTAL_BYTES / tagBytes }, () => tag)]);
}

/** Fragmented MP4 of boxes that have this many bytes each. */
function mp4Of(boxBytes: number): Buffer {
  const box = Buffer.alloc(boxBytes);
  box.writeUInt32BE(boxBytes, 0);
  box.write("mdat", 4);
  return Buffer.concat(Array.from({ length: TOTAL_BYTES / boxBytes }, () => box));
}

const chunksOf = (bytes: Buffer, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));

/** CPU time for reading all bytes: the minimum of several rounds. */
function costOf(media: Buffer, splitter: () => { push(chunk: Buffer): unknown[] }, units: number): number {
  const chunks = chunksOf(media, CHUNK_BYTES);
  const costs = [];
  for (let round = 0; round < 5; round++) {
    const reader = splitter();
    const before = process.cpuUsage();
    const found = chunks.reduce((count, chunk) => count + reader.push(chunk).length, 0);
    const { user, system } = process.cpuUsage(before);
    expect(found).toBe(units);
    costs.push(user + system);
  }
  return Math.min(...costs);
}

describe("a unit of 8 MiB costs no more per byte than units of 256 KiB, in chunks of 1,400 bytes", () => {
  const SMALL = 256 << 10;
  test.each([
    ["FLV tags", flvOf, () => new ContainerUnits(), 1],
    ["MP4 boxes", mp4Of, () => new ContainerUnits(), 0],
    ["FLV tags of a simulcast", flvOf, () => new FlvTags(), 0],
  ] as const)("%s", (_, mediaOf, splitter, headers) => {
    costOf(mediaOf(SMALL), splitter, TOTAL_BYTES / SMALL + headers); // the code is compiled
    const small = costOf(mediaOf(SMALL), splitter, TOTAL_BYTES / SMALL + headers);
    const large = costOf(mediaOf(TOTAL_BYTES), splitter, 1 + headers);
    expect(large).toBeLessThan(small * 8);
  });
});

test("reading a queued unit takes constant time, however many are queued", async () => {
  const cost = async (units: number) => {
    const line = new SourceBuffer();
    const tag = Buffer.from([9, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x27, 0, 0, 0, 12]);
    const media = Buffer.concat([FLV_HEADER, ...Array.from({ length: units }, () => tag)]);
    await line.fill(
      (async function* () {
        yield media;
      })(),
    );
    const before = process.cpuUsage();
    let read = 0;
    for await (const piece of line.read()) read += piece.length;
    const { user, system } = process.cpuUsage(before);
    expect(read).toBe(media.length);
    return (user + system) / units;
  };
  await cost(20_000);
  const few = await cost(20_000);
  expect(await cost(200_000)).toBeLessThan(few * 8);
});
