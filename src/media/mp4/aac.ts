import { Bits } from "../../../protocol/media/h264/bits.ts";
import { standardOnlyIf } from "./not-standard.ts";

/** Samples per AAC-LC frame (960, used by some broadcasts, is not supported). */
export const AAC_FRAME_SAMPLES = 1024;
/** Sampling rates by their index in an AudioSpecificConfig (ISO/IEC 14496-3 table 1.18). */
export const SAMPLE_RATES_HZ = [
  96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350,
];

export interface AacConfiguration {
  sampleRateHz: number;
  channels: number;
  /** The AudioSpecificConfig itself. */
  bytes: Uint8Array;
}

/**
 * Finds the AudioSpecificConfig in the content of an `esds` box (ISO/IEC 14496-1 §7.2.6) and parses it (14496-3 §1.6.2).
 * @throws {NotStandard} for anything but plain AAC-LC with one to six channels
 */
export function parseEsds(esds: Uint8Array): AacConfiguration {
  const stream = descriptor(esds, 4, 0x03);
  let at = stream.start + 3;
  const flags = esds[stream.start + 2] ?? 0;
  if (flags & 0x80) at += 2;
  if (flags & 0x40) at += 1 + (esds[at] ?? 0);
  if (flags & 0x20) at += 2;
  const decoder = descriptor(esds, at, 0x04);
  const objectType = esds[decoder.start];
  standardOnlyIf(objectType === 0x40 || objectType === 0x67, "audio that is not AAC");
  const specific = descriptor(esds, decoder.start + 13, 0x05);
  return parseAudioSpecificConfig(esds.slice(specific.start, specific.end));
}

function descriptor(bytes: Uint8Array, at: number, tag: number): { start: number; end: number } {
  standardOnlyIf(bytes[at] === tag, "a damaged audio description");
  let length = 0;
  let start = at + 1;
  for (let n = 0; n < 4; n++) {
    const byte = bytes[start++] ?? 0;
    length = length * 128 + (byte & 127);
    if (byte < 128) break;
  }
  standardOnlyIf(start + length <= bytes.length, "a damaged audio description");
  return { start, end: start + length };
}

function parseAudioSpecificConfig(bytes: Uint8Array): AacConfiguration {
  const bits = new Bits(bytes);
  standardOnlyIf(bits.read(5) === 2, "audio that is not AAC-LC");
  const rate = bits.read(4);
  const sampleRateHz = rate === 15 ? bits.read(24) : (SAMPLE_RATES_HZ[rate] ?? 0);
  const channels = bits.read(4);
  standardOnlyIf(sampleRateHz >= 8000 && sampleRateHz <= 96000, "an unknown audio sample rate");
  standardOnlyIf(channels >= 1 && channels <= 6, "an unusual audio channel layout");
  standardOnlyIf(!bits.flag(), "AAC with frames of 960 samples");
  standardOnlyIf(!bits.flag() && !bits.flag(), "AAC with an extension");
  // SBR signalled after the LC configuration (backward compatible signalling): HE-AAC.
  if (bits.left >= 16 && bits.read(11) === 0x2b7)
    standardOnlyIf(bits.read(5) !== 5 || !bits.flag(), "audio that is not AAC-LC");
  return { sampleRateHz, channels, bytes };
}
