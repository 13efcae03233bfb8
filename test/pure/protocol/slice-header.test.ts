import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from "mediabunny";
import { expect, test } from "vitest";
import { ParameterSets, sliceHeaderBytes } from "../../../protocol/media/h264/slice-header.ts";
import { parseAvcRecord } from "../../../protocol/media/h264/avc-record.ts";
import { clip } from "../media/mp4-surgery.ts";

/** Number of slices by the length of their headers in bytes, as FFmpeg's bitstream filter `trace_headers` reads them. */
const TRACED = {
  flower: "6: 17, 7: 18, 9: 14, 10: 32, 11: 2, 12: 9, 13: 21, 14: 20, 15: 3, 16: 2, 17: 7, 19: 2, 20: 1, 21: 1, 22: 1",
  friday:
    "5: 4, 6: 49, 7: 2, 8: 4, 9: 9, 10: 18, 11: 21, 12: 54, 13: 8, 14: 9, 17: 1, 20: 1, 21: 2, 22: 1, 23: 1, 25: 1",
} as const;
const [SLICE, IDR] = [1, 5];

async function slicesOf(name: keyof typeof TRACED): Promise<{ slices: Uint8Array[]; sets: ParameterSets }> {
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(clip(name)) });
  const track = (await input.getPrimaryVideoTrack())!;
  const { description } = (await track.getDecoderConfig())!;
  const record = parseAvcRecord(new Uint8Array(description as ArrayBuffer))!;
  const sets = new ParameterSets();
  for (const unit of record.sequences) sets.addSequence(unit);
  for (const unit of record.pictures) sets.addPicture(unit);
  const slices: Uint8Array[] = [];
  for await (const { data } of new EncodedPacketSink(track).packets())
    for (let at = 0; at < data.length;) {
      const length = new DataView(data.buffer, data.byteOffset).getUint32(at);
      const unit = data.subarray(at + 4, at + 4 + length);
      if ([SLICE, IDR].includes(unit[0]! & 31)) slices.push(unit);
      at += 4 + length;
    }
  return { slices, sets };
}

test.each(["flower", "friday"] as const)("the slice headers of %s.mp4 end where FFmpeg says", async (name) => {
  const { slices, sets } = await slicesOf(name);
  const counts = new Map<number, number>();
  for (const slice of slices) {
    const bytes = sliceHeaderBytes(slice, sets)!;
    counts.set(bytes, (counts.get(bytes) ?? 0) + 1);
  }
  const listed = [...counts].toSorted(([a], [b]) => a - b).map(([bytes, count]) => `${bytes}: ${count}`);
  expect(listed.join(", ")).toBe(TRACED[name]);
});

test("a slice without its parameter sets, and one that ends within its header, have no header", async () => {
  const { slices, sets } = await slicesOf("flower");
  const [slice] = slices as [Uint8Array];
  expect(sliceHeaderBytes(slice, new ParameterSets())).toBeNull();
  expect(sliceHeaderBytes(slice.subarray(0, 2), sets)).toBeNull();
});
