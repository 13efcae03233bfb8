/** Finds the closed captions that a picture carries (ATSC A/53 part 4 §6.2.3, ANSI/SCTE 128 §8.1): `cc_data` of H.264, HEVC and MPEG-2. Pure. */

export type CcCodec = "h264" | "hevc" | "mpeg2video";
/** The codecs of `ccDataOf`, by libav's names. */
export const CC_CODECS: readonly CcCodec[] = ["h264", "hevc", "mpeg2video"];

/** A picture carries 20 at 30 pictures a second, and 25 at 24. One `cc_data` has 31 at most, and two fields have one each. */
const MAX_TRIPLETS = 128;
const TRIPLET_BYTES = 3;
/** T.35 country code of the United States, provider code of ATSC, "GA94", and the type of `cc_data`. */
const T35_CC_DATA = [0xb5, 0x00, 0x31, 0x47, 0x41, 0x39, 0x34, 0x03];
const USER_DATA_CC_DATA = T35_CC_DATA.slice(3);
/** `user_data_registered_itu_t_t35`. */
const T35_PAYLOAD = 4;
const H264_SEI = 6;
const HEVC_PREFIX_SEI = 39;
const HEVC_SUFFIX_SEI = 40;
const MPEG2_USER_DATA = 0xb2;

/**
 * The caption words of one picture, or of the two fields of one, without decoding it.
 *
 * @param accessUnit in decode order: a packet of libav, or a sample of ISO BMFF
 * @param lengthBytes size of the NAL unit length field, 1 to 4; null = start codes (Annex B), and MPEG-2
 * @returns the valid triplets of `cc_data`, 3 bytes each: marker, `cc_valid` and `cc_type`; two bytes of data. Idle ones are included. Empty when
 * there are none, and for damaged data. At most 128 triplets; the work is linear in the size of the unit
 */
export function ccDataOf(codec: CcCodec, accessUnit: Uint8Array, lengthBytes: number | null): Uint8Array {
  const words: number[] = [];
  for (const [flags, first, second] of tripletsOf(codec, accessUnit, lengthBytes))
    if ((flags & 0x04) !== 0) words.push(flags, first, second);
  return Uint8Array.from(words);
}

/** Whether a picture has a place for captions, which may be idle: then captions may follow. The arguments are those of `ccDataOf`. */
export const hasCcData = (codec: CcCodec, accessUnit: Uint8Array, lengthBytes: number | null): boolean =>
  tripletsOf(codec, accessUnit, lengthBytes).length > 0;

/** @param extradata avcC, hvcC or Annex B @returns the size of the NAL unit length field; null = start codes */
export function nalLengthBytes(codec: CcCodec, extradata: Uint8Array | null): number | null {
  if (extradata === null || codec === "mpeg2video") return null;
  const at = codec === "h264" ? 4 : 21;
  return extradata[0] === 1 && extradata.length > at + 1 ? (extradata[at]! & 3) + 1 : null;
}

type Triplet = [flags: number, first: number, second: number];

function tripletsOf(codec: CcCodec, accessUnit: Uint8Array, lengthBytes: number | null): Triplet[] {
  const found: Triplet[] = [];
  const units = lengthBytes === null ? startCodeUnits(accessUnit) : lengthUnits(accessUnit, lengthBytes);
  for (const unit of units) {
    if (found.length >= MAX_TRIPLETS) break;
    if (codec === "mpeg2video") {
      if (unit[0] === MPEG2_USER_DATA && startsWith(unit, 1, USER_DATA_CC_DATA))
        readCcData(unit.subarray(1 + USER_DATA_CC_DATA.length), found);
    } else if (isSei(codec, unit)) readSei(unescaped(unit.subarray(codec === "h264" ? 1 : 2)), found);
  }
  return found;
}

function isSei(codec: "h264" | "hevc", unit: Uint8Array): boolean {
  if (codec === "h264") return (unit[0]! & 0x1f) === H264_SEI;
  const type = (unit[0]! >> 1) & 0x3f;
  return type === HEVC_PREFIX_SEI || type === HEVC_SUFFIX_SEI;
}

/** The messages of an SEI payload (ITU-T H.264 §7.3.2.3, H.265 §7.3.5). */
function readSei(sei: Uint8Array, found: Triplet[]): void {
  for (let at = 0; at + 2 < sei.length;) {
    let [type, size] = [0, 0];
    while (sei[at] === 0xff) [type, at] = [type + 255, at + 1];
    type += sei[at++] ?? 0;
    while (sei[at] === 0xff) [size, at] = [size + 255, at + 1];
    size += sei[at++] ?? 0;
    if (type === T35_PAYLOAD && startsWith(sei, at, T35_CC_DATA))
      readCcData(sei.subarray(at + T35_CC_DATA.length, at + size), found);
    at += size;
  }
}

/** `cc_data()` of CTA-708 §4.4: flags with the count, a reserved byte, and the triplets. A truncated one gives what is there. */
function readCcData(data: Uint8Array, found: Triplet[]): void {
  const flags = data[0] ?? 0;
  if ((flags & 0x40) === 0) return; // process_cc_data_flag
  const end = Math.min(2 + (flags & 0x1f) * TRIPLET_BYTES, data.length);
  for (let at = 2; at + TRIPLET_BYTES <= end && found.length < MAX_TRIPLETS; at += TRIPLET_BYTES)
    found.push([data[at]!, data[at + 1]!, data[at + 2]!]);
}

/** NAL units, or MPEG-2 structures, behind their start codes 00 00 01. */
function* startCodeUnits(bytes: Uint8Array): Generator<Uint8Array> {
  let start = nextStart(bytes, 0);
  while (start < bytes.length) {
    const next = nextStart(bytes, start);
    const unit = bytes.subarray(start, next === bytes.length ? next : next - 3);
    if (unit.length > 0) yield unit;
    start = next;
  }
}

/** The position behind the next start code; the length of `bytes` when there is none. */
function nextStart(bytes: Uint8Array, from: number): number {
  // A search for one byte is native, and most bytes are not 1.
  for (let at = bytes.indexOf(1, from + 2); at >= 0; at = bytes.indexOf(1, at + 1))
    if (bytes[at - 1] === 0 && bytes[at - 2] === 0) return at + 1;
  return bytes.length;
}

/** NAL units behind their lengths (ISO/IEC 14496-15 §5.3.2). Ends at a length that is beyond the sample. */
function* lengthUnits(bytes: Uint8Array, lengthBytes: number): Generator<Uint8Array> {
  for (let at = 0; at + lengthBytes <= bytes.length;) {
    let size = 0;
    for (let n = 0; n < lengthBytes; n += 1) size = size * 256 + bytes[at + n]!;
    const begin = at + lengthBytes;
    if (begin + size > bytes.length) return;
    if (size > 0) yield bytes.subarray(begin, begin + size);
    at = begin + size;
  }
}

/** Without the emulation prevention bytes: 00 00 03 is 00 00 (ITU-T H.264 §7.4.1). */
function unescaped(payload: Uint8Array): Uint8Array {
  const out = new Uint8Array(payload.length);
  let [length, zeros] = [0, 0];
  for (const byte of payload) {
    const isPrevention = zeros >= 2 && byte === 3;
    zeros = byte === 0 ? zeros + 1 : 0;
    if (!isPrevention) out[length++] = byte;
  }
  return out.subarray(0, length);
}

const startsWith = (bytes: Uint8Array, at: number, expected: number[]): boolean =>
  expected.every((byte, n) => bytes[at + n] === byte);
