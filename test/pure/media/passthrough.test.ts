import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from "mediabunny";
import { describe, expect, test } from "vitest";
import { coalesce, cutSegment } from "../../../src/media/mp4/cut-segment.ts";
import { indexSource, type StandardSource } from "../../../src/media/mp4/index-source.ts";
import { clip, concat, readerOf, withMoovAtEnd, withShortLastFrame } from "./mp4-surgery.ts";

async function standard(bytes: Uint8Array): Promise<StandardSource> {
  const source = await indexSource(readerOf(bytes).reader);
  if (!source.standard) throw new Error(source.reason);
  return source;
}

async function bytesOf(body: Uint8Array | ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return body instanceof Uint8Array ? body : new Uint8Array(await new Response(body as BodyInit).arrayBuffer());
}

/** The init segment and all segments of a rendition, concatenated to a fragmented file. */
async function cutAll(bytes: Uint8Array, source: StandardSource, rendition: string): Promise<Uint8Array<ArrayBuffer>> {
  const index = readerOf(concat(source.indexes.find((one) => one.rendition === rendition)!.pieces)).reader;
  const row = source.renditions.find((one) => one.name === rendition)!;
  const parts = [];
  for (const file of ["init", ...row.segments.bytes.keys()] as const) {
    const cut = await cutSegment(index, readerOf(bytes).reader, file);
    parts.push(await bytesOf(cut!.body));
    expect(parts.at(-1)).toHaveLength(cut!.bytes);
    if (file !== "init") expect(cut!.bytes).toBe(row.segments.bytes[file]);
  }
  return concat(parts);
}

async function packets(bytes: Uint8Array, kind: "video" | "audio") {
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(bytes) });
  const track = kind === "video" ? await input.getPrimaryVideoTrack() : await input.getPrimaryAudioTrack();
  const all = [];
  for await (const packet of new EncodedPacketSink(track!).packets()) {
    all.push({
      seconds: packet.timestamp,
      durationSeconds: packet.duration,
      isKey: packet.type === "key",
      data: packet.data,
    });
  }
  return { all, track: track! };
}

describe.each(["flower", "friday"] as const)("%s.mp4", (name) => {
  const bytes = clip(name);

  test.each(["video", "audio"] as const)(
    "its cut %s has the same frames as the source, bit for bit, with the same times",
    async (kind) => {
      const source = await standard(bytes);
      const cut = await packets(await cutAll(bytes, source, kind === "video" ? "source-v" : "source-a1"), kind);
      const original = await packets(bytes, kind);
      const shown = original.all.filter((packet) => packet.seconds > -packet.durationSeconds / 2);

      expect(cut.all).toHaveLength(shown.length);
      const offset = cut.all[0]!.seconds - shown[0]!.seconds;
      expect(Math.abs(offset)).toBeLessThan(0.025);
      expect(Math.min(...cut.all.map(({ seconds }) => seconds))).toBeGreaterThanOrEqual(0);
      for (const [n, packet] of cut.all.entries()) {
        expect(packet.seconds - shown[n]!.seconds).toBeCloseTo(offset, 4);
        expect(packet.isKey).toBe(shown[n]!.isKey);
        expect(Buffer.compare(packet.data, shown[n]!.data)).toBe(0);
      }
      expect(await cut.track.getCodecParameterString()).toBe(source.renditions.find((row) => row.kind === kind)!.codec);
    },
  );

  test("every video segment begins with a key frame, at its time in the playlist", async () => {
    const source = await standard(bytes);
    const cut = await packets(await cutAll(bytes, source, "source-v"), "video");
    const { segments, timescale } = source.renditions[0]!;
    let ticks = 0;
    for (const duration of segments.durationTicks) {
      expect(cut.all.find((packet) => Math.abs(packet.seconds - ticks / timescale) < 1e-4)).toMatchObject({
        isKey: true,
      });
      ticks += duration;
    }
    expect(Math.round((ticks / timescale) * 1000)).toBe(source.durationMs);
  });

  test("an index at the end is found with one more read, and gives the same segments", async () => {
    const moved = withMoovAtEnd(bytes, 64);
    const { reader, reads } = readerOf(moved);
    const source = await indexSource(reader);
    expect(source.standard).toBe(true);
    expect(reads.length).toBeLessThanOrEqual(2);
    const before = await cutAll(bytes, await standard(bytes), "source-v");
    expect(Buffer.compare(await cutAll(moved, await standard(moved), "source-v"), before)).toBe(0);
  });
});

test.each(["flower", "friday"] as const)(
  "the index of %s.mp4 is the same whether it is read at once or in pieces",
  async (name) => {
    for (const bytes of [clip(name), withMoovAtEnd(clip(name), 64)]) {
      const whole = await standard(bytes);
      for (const windowBytes of [96, 240, 480]) {
        const { reader, reads } = readerOf(bytes);
        expect(await indexSource(reader, { memory: { maxBufferedBytes: 0, windowBytes } })).toEqual(whole);
        expect(reads.length).toBeGreaterThan(5);
      }
    }
  },
);

test("the last audio frame counts in full, in the playlist and in the media", async () => {
  const bytes = withShortLastFrame(clip("flower"), 1, 700);
  const whole = await standard(clip("flower"));
  const source = await standard(bytes);
  const rowOf = ({ renditions }: StandardSource) => renditions.find(({ name }) => name === "source-a1")!;
  expect(rowOf(source).segments.durationTicks).toEqual(rowOf(whole).segments.durationTicks);
  const cut = await packets(await cutAll(bytes, source, "source-a1"), "audio");
  expect(cut.all.at(-1)!.durationSeconds).toBeCloseTo(1024 / 48_000, 6);
});

test("an index at the start costs one read, whether the size is known or not", async () => {
  for (const size of [undefined, null]) {
    const { reader, reads } = readerOf(clip("flower"), size);
    expect((await indexSource(reader)).standard).toBe(true);
    expect(reads).toHaveLength(1);
  }
});

test("an index within the bytes that are in memory takes no read beyond them", async () => {
  const free = new Uint8Array(300 * 1024);
  new DataView(free.buffer).setUint32(0, free.length);
  free.set(new TextEncoder().encode("free"), 4);
  const file = concat([free, clip("flower")]);
  const { reader, reads } = readerOf(file);
  const fetchedBytes = 512 * 1024;
  await indexSource({ ...reader, fetchedBytes });
  expect(reads).toEqual([{ offset: 0, length: fetchedBytes }]);
});

test("a segment costs one read of the index and one of the source", async () => {
  const bytes = clip("flower");
  const source = await standard(bytes);
  for (const { rendition, pieces } of source.indexes) {
    const index = readerOf(concat(pieces));
    const file = readerOf(bytes);
    await cutSegment(index.reader, file.reader, 1);
    expect({ rendition, index: index.reads.length, source: file.reads.length }).toEqual({
      rendition,
      index: 1,
      source: 1,
    });
  }
});

test("a byte range of a segment equals the same bytes of the whole", async () => {
  const bytes = clip("friday");
  const source = await standard(bytes);
  const index = readerOf(concat(source.indexes[0]!.pieces)).reader;
  const whole = await bytesOf((await cutSegment(index, readerOf(bytes).reader, 0))!.body);
  for (const [from, to] of [
    [0, 1],
    [10, 900],
    [whole.length - 1, whole.length],
    [5000, 120_000],
  ] as const) {
    const part = await cutSegment(index, readerOf(bytes).reader, 0, () => [from, to]);
    expect(Buffer.compare(await bytesOf(part!.body), whole.subarray(from, to))).toBe(0);
  }
});

test("a segment that does not exist is null", async () => {
  const source = await standard(clip("friday"));
  const index = readerOf(concat(source.indexes[0]!.pieces)).reader;
  for (const number of [-1, 2, 9_999_999, 1.5]) expect(await cutSegment(index, index, number)).toBeNull();
  const nothing = readerOf(new Uint8Array()).reader;
  expect(await cutSegment(nothing, nothing, "init")).toBeNull();
});

test("nearby runs are read at once, distant or long ones in pieces", () => {
  const MiB = 1024 * 1024;
  const reads = coalesce([
    { offset: 0, length: 1000 },
    { offset: 1500, length: 1000 },
    { offset: 10 * MiB, length: 8 * MiB },
  ]);
  expect(reads.map(({ offset, length, pieces }) => [offset, length, pieces.length])).toEqual([
    [0, 2500, 2],
    [10 * MiB, 6 * MiB, 1],
    [16 * MiB, 2 * MiB, 1],
  ]);
});

test("a long segment is streamed without lost or extra bytes", async () => {
  // 20 MB of media in runs that are far apart: the source is read piece by piece.
  const bytes = Uint8Array.from({ length: 20_000_000 }, (_, n) => (n * 2654435761) >>> 24);
  const { IndexWriter } = await import("../../../src/media/mp4/index-file.ts");
  const { SampleColumns } = await import("../../../src/media/mp4/fragment.ts");
  const samples = new SampleColumns();
  for (let n = 0; n < 10; n++) {
    samples.add({ size: 1_500_000, duration: 1, compositionOffset: 0, isKey: n === 0, offset: n * 2_000_000 });
  }
  const writer = new IndexWriter(new Uint8Array(8));
  writer.addSegment(0, samples);
  const cut = await cutSegment(readerOf(concat(writer.finish())).reader, readerOf(bytes).reader, 0);
  expect(cut!.body).toBeInstanceOf(ReadableStream);
  const whole = await bytesOf(cut!.body);
  expect(whole).toHaveLength(cut!.bytes);
  const media = concat(Array.from({ length: 10 }, (_, n) => bytes.subarray(n * 2_000_000, n * 2_000_000 + 1_500_000)));
  expect(Buffer.compare(whole.subarray(whole.length - media.length), media)).toBe(0);
});
