import { parseAvcRecord } from "./avc-record.ts";
import { Bits } from "./bits.ts";
import { BitWriter, withEmulationPrevention } from "./bit-writer.ts";
import {
  parsePictureParameters,
  parseSequenceParameters,
  type PictureParameters,
  type SequenceParameters,
  withoutEmulationPrevention,
} from "./parameter-sets.ts";
import { SKIP_SLICE_QP, writeSkippedWithCabac } from "./skipped-run.ts";

const P_SLICE = 5; // of all slices of the picture
const NAL_HEADER = 0x41; // non-IDR slice of a reference picture
const [NAL_SLICE, NAL_IDR] = [1, 5];

/** Creates access units that repeat the previous picture. @param number counts from 1 */
export type SkipPictures = (number: number) => Uint8Array;

/** Position of a picture in its coded video sequence. */
interface Position {
  frameNum: number;
  /** `pic_order_cnt_lsb` */
  order: number;
}

interface Stream {
  sequence: SequenceParameters;
  picture: PictureParameters;
  lengthBytes: number;
}

/**
 * Pictures in which every macroblock is skipped: they repeat the previous picture in some tens of bytes. They are reference pictures,
 * because `pic_order_cnt_type` 2 does not allow two consecutive non-reference pictures.
 *
 * @param avcC AVCDecoderConfigurationRecord (ISO/IEC 14496-15 §5.3.3.1)
 * @param after the preceding access unit, which determines the parameter sets; null = a key frame with the first parameter sets
 * @returns null for a stream with fields, slice groups or no references
 */
export function skipPictures(avcC: Uint8Array, after: Uint8Array | null = null): SkipPictures | null {
  const lengthBytes = ((avcC[4] ?? 0) & 3) + 1;
  const slice = after && firstSlice(after, lengthBytes);
  if (after !== null && slice === null) return null;
  const stream = streamOf(avcC, slice && headerOf(slice).pictureParametersId, lengthBytes);
  if (stream === null) return null;
  const last = slice === null ? { frameNum: 0, order: 0 } : positionOf(slice, stream);
  return (number) => accessUnit(stream, { frameNum: last.frameNum + number, order: last.order + 2 * number });
}

/** @param pictureParametersId null = the first of the picture parameter sets */
function streamOf(avcC: Uint8Array, pictureParametersId: number | null, lengthBytes: number): Stream | null {
  const sets = parseAvcRecord(avcC);
  const picture = sets?.pictures
    .map(parsePictureParameters)
    .find(({ id }) => pictureParametersId === null || id === pictureParametersId);
  const sequence = sets?.sequences.map(parseSequenceParameters).find((one) => one?.id === picture?.sequenceId);
  if (picture === undefined || !sequence) return null;
  const { pictureOrder, referenceFrames, progressive, chromaFormat } = sequence;
  const isPlain = progressive && referenceFrames > 0 && pictureOrder.type !== 1 && picture.sliceGroups === 1;
  return isPlain && chromaFormat !== 3 ? { sequence, picture, lengthBytes } : null;
}

function headerOf(slice: Uint8Array): { bits: Bits; pictureParametersId: number } {
  const bits = new Bits(withoutEmulationPrevention(slice.subarray(1, 1 + MAX_HEADER_BYTES)));
  bits.exp(); // first macroblock
  bits.exp(); // type
  return { bits, pictureParametersId: bits.exp() };
}

/** Position from which the next picture continues (§7.4.3: `frame_num` counts reference pictures). */
function positionOf(slice: Uint8Array, { sequence }: Stream): Position {
  const [isIdr, isReference] = [(slice[0]! & 31) === NAL_IDR, (slice[0]! & 0x60) !== 0];
  const { bits } = headerOf(slice);
  const frameNum = bits.read(sequence.frameNumBits);
  if (isIdr) bits.exp();
  const { type, lsbBits } = sequence.pictureOrder;
  return { frameNum: isReference ? frameNum : frameNum - 1, order: type === 0 ? bits.read(lsbBits) : 0 };
}

/** Upper bound of the slice header fields up to the picture order count. */
const MAX_HEADER_BYTES = 32;

function firstSlice(accessUnit: Uint8Array, lengthBytes: number): Uint8Array | null {
  for (let at = 0; at + lengthBytes < accessUnit.length;) {
    let length = 0;
    for (let n = 0; n < lengthBytes; n += 1) length = length * 256 + accessUnit[at + n]!;
    const unit = accessUnit.subarray(at + lengthBytes, at + lengthBytes + length);
    const type = (unit[0] ?? 0) & 31;
    if (type === NAL_SLICE || type === NAL_IDR) return unit;
    at += lengthBytes + length;
  }
  return null;
}

/** One slice (§7.3.3). */
function accessUnit({ sequence, picture, lengthBytes }: Stream, { frameNum, order }: Position): Uint8Array {
  const { frameNumBits, pictureOrder, chromaFormat, macroblocks } = sequence;
  const out = new BitWriter();
  out.exp(0); // first macroblock
  out.exp(P_SLICE);
  out.exp(picture.id);
  out.write(frameNum % 2 ** frameNumBits, frameNumBits);
  if (pictureOrder.type === 0) {
    out.write(order % 2 ** pictureOrder.lsbBits, pictureOrder.lsbBits);
    if (picture.hasBottomFieldOrder) out.signedExp(0);
  }
  if (picture.hasRedundantCount) out.exp(0);
  out.bit(1); // num_ref_idx_active_override_flag
  out.exp(0); // one reference
  out.bit(0); // default reference order
  if (picture.isWeighted) {
    out.exp(0); // denominators of luma and chroma
    if (chromaFormat !== 0) out.exp(0);
    out.bit(0); // no weights
    if (chromaFormat !== 0) out.bit(0);
  }
  out.bit(0); // sliding window reference marking
  if (picture.usesCabac) out.exp(0); // cabac_init_idc
  out.signedExp(SKIP_SLICE_QP - picture.initialQp);
  if (picture.hasDeblockingControl) out.exp(1); // off
  if (picture.usesCabac) writeSkippedWithCabac(out, macroblocks);
  else {
    out.exp(macroblocks); // mb_skip_run
    out.bit(1); // stop bit
  }
  return lengthPrefixed(withEmulationPrevention(out.bytes()), lengthBytes);
}

function lengthPrefixed(payload: Uint8Array, lengthBytes: number): Uint8Array {
  const unit = new Uint8Array(lengthBytes + 1 + payload.length);
  for (let n = 0; n < lengthBytes; n += 1) unit[n] = ((payload.length + 1) / 256 ** (lengthBytes - 1 - n)) & 0xff;
  unit[lengthBytes] = NAL_HEADER;
  unit.set(payload, lengthBytes + 1);
  return unit;
}
