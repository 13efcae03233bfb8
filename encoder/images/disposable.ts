/** Recognises H.264 pictures that no other picture refers to, so that they need not be decoded to get to a later one. Pure. */
import type { Stream } from "node-av/lib";
import { AV_CODEC_ID_H264 } from "node-av/constants";

const [NAL_SLICE, NAL_IDR] = [1, 5];

/**
 * Whether no other picture refers to this one: all its slices have a `nal_ref_idc` of 0 (Rec. ITU-T H.264 §7.4.1).
 *
 * @param sample NAL units, each behind its length in 4 bytes (ISO/IEC 14496-15 §5.3); false for anything else
 */
export function isDisposable(sample: Buffer): boolean {
  let hasSlice = false;
  for (let at = 0; at + 5 <= sample.length; at += 4 + sample.readUInt32BE(at)) {
    const header = sample[at + 4]!;
    const type = header & 0x1f;
    if (type < NAL_SLICE || type > NAL_IDR) continue;
    if (((header >> 5) & 3) !== 0) return false;
    hasSlice = true;
  }
  return hasSlice;
}

/** Whether the samples of a stream are as `isDisposable` expects them (ISO/IEC 14496-15 §5.3.3). */
export function hasLengths({ codecpar }: Stream): boolean {
  const record = codecpar.extradata;
  return codecpar.codecId === AV_CODEC_ID_H264 && record?.[0] === 1 && (record[4]! & 3) === 3;
}
