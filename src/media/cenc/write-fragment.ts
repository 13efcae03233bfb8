import { ByteWriter } from "../mp4/byte-writer.ts";
import type { FragmentTables } from "./read-fragment.ts";
import type { Subsample } from "./subsamples.ts";

/**
 * `moof` and the header of the `mdat` that follows it, of encrypted samples (ISO/IEC 14496-12 §8.8, ISO/IEC 23001-7 §7).
 *
 * @param subsamples of each sample; null = the samples are encrypted as a whole, which needs no tables
 */
export function protectedFragmentHeader(
  { sequenceNumber, trackId, decodeTicks, rows }: FragmentTables,
  subsamples: Subsample[][] | null,
): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter(256 + rows.length * 32);
  let dataOffsetAt = 0;
  let auxiliaryOffsetAt = 0;
  let auxiliaryAt = 0;
  out.box("moof", () => {
    out.fullBox("mfhd", 0, 0, () => out.u32(sequenceNumber));
    out.box("traf", () => {
      out.fullBox("tfhd", 0, 0x020000, () => out.u32(trackId)); // default-base-is-moof
      out.fullBox("tfdt", 1, 0, () => out.u64(decodeTicks));
      out.fullBox("trun", 1, 0xf01, () => {
        out.u32(rows.length);
        dataOffsetAt = out.length;
        out.u32(0);
        for (const row of rows) {
          out.u32(row.durationTicks);
          out.u32(row.bytes);
          out.u32(row.flags);
          out.i32(row.compositionTicks);
        }
      });
      if (subsamples === null) return;
      out.fullBox("saiz", 0, 0, () => {
        out.u8(0); // sizes differ
        out.u32(subsamples.length);
        for (const list of subsamples) out.u8(2 + 6 * list.length);
      });
      out.fullBox("saio", 0, 0, () => {
        out.u32(1);
        auxiliaryOffsetAt = out.length;
        out.u32(0);
      });
      out.fullBox("senc", 0, 2, () => {
        out.u32(subsamples.length);
        auxiliaryAt = out.length;
        for (const list of subsamples) writeSubsamples(out, list);
      });
    });
  });
  if (subsamples !== null) out.setU32(auxiliaryOffsetAt, auxiliaryAt);
  out.u32(8 + rows.reduce((sum, { bytes }) => sum + bytes, 0));
  out.text("mdat");
  out.setU32(dataOffsetAt, out.length);
  return out.written().slice();
}

/** Without an initialization vector: that of `tenc` applies to all samples. */
function writeSubsamples(out: ByteWriter, list: Subsample[]): void {
  out.u16(list.length);
  for (const { clearBytes, protectedBytes } of list) {
    out.u16(clearBytes);
    out.u32(protectedBytes);
  }
}
