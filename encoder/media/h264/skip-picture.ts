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
const NAL_HEADER = 0x41; // a non-IDR slice that later pictures refer to
const [NAL_SLICE, NAL_IDR] = [1, 5];

/** Makes access units that repeat the picture before them. @param number counts from 1 */
export type SkipPictures = (number: number) => Uint8Array;

/** Where a picture stands in its coded video sequence. */
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
 * Pictures in which every macroblock is skipped: they show the picture before them again and take some tens of bytes. They refer to
 * each other, because `pic_order_cnt_type` 2 allows no two pictures in a row to which nothing refers.
 *
 * @param avcC AVCDecoderConfigurationRecord (ISO/IEC 14496-15 §5.3.3.1)
 * @param after the access unit before the first of them; any key frame when it is left out
 * @returns null for a stream with fields, slice groups, several sequence parameter sets or no references
 */
export function skipPictures(avcC: Uint8Array, after: Uint8Array | null = null): SkipPictures | null {
  const stream = streamOf(avcC);
  const last = stream && (after === null ? { frameNum: 0, order: 0 } : positionOf(after, stream));
  if (stream === null || last === null) return null;
  return (number) => accessUnit(stream, { frameNum: last.frameNum + number, order: last.order + 2 * number });
}

function streamOf(avcC: Uint8Array): Stream | null {
  const sets = parameterSets(avcC);
  const sequence = sets && parseSequenceParameters(sets.sequence);
  if (sets === null || sequence === null) return null;
  const picture = parsePictureParameters(sets.picture);
  const { pictureOrder, referenceFrames, progressive, chromaFormat } = sequence;
  const isPlain = progressive && referenceFrames > 0 && pictureOrder.type !== 1 && picture.sliceGroups === 1;
  return isPlain && chromaFormat !== 3 ? { sequence, picture, lengthBytes: (avcC[4]! & 3) + 1 } : null;
}

/** The sequence parameter set and the first of the picture parameter sets; null when there is not one sequence. */
function parameterSets(avcC: Uint8Array): { sequence: Uint8Array; picture: Uint8Array } | null {
  if (avcC.length < 8 || avcC[0] !== 1 || (avcC[5]! & 31) !== 1) return null;
  const sequenceEnd = 8 + avcC[6]! * 256 + avcC[7]!;
  if (sequenceEnd + 3 > avcC.length || avcC[sequenceEnd] === 0) return null;
  const pictureEnd = sequenceEnd + 3 + avcC[sequenceEnd + 1]! * 256 + avcC[sequenceEnd + 2]!;
  if (pictureEnd > avcC.length) return null;
  return { sequence: avcC.subarray(8, sequenceEnd), picture: avcC.subarray(sequenceEnd + 3, pictureEnd) };
}

/** What the next picture counts on from (§7.4.3: `frame_num` counts pictures that others refer to). */
function positionOf(accessUnit: Uint8Array, { sequence, lengthBytes }: Stream): Position | null {
  const slice = firstSlice(accessUnit, lengthBytes);
  if (slice === null) return null;
  const [isIdr, isReference] = [(slice[0]! & 31) === NAL_IDR, (slice[0]! & 0x60) !== 0];
  const bits = new Bits(withoutEmulationPrevention(slice.subarray(1, 1 + MAX_HEADER_BYTES)));
  bits.exp(); // first macroblock
  bits.exp(); // type
  bits.exp(); // picture parameter set
  const frameNum = bits.read(sequence.frameNumBits);
  if (isIdr) bits.exp();
  const { type, lsbBits } = sequence.pictureOrder;
  return { frameNum: isReference ? frameNum : frameNum - 1, order: type === 0 ? bits.read(lsbBits) : 0 };
}

/** More than the fields of a slice header up to the picture's order take. */
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
  out.bit(1); // a number of references of its own:
  out.exp(0); // one
  out.bit(0); // in the usual order
  if (picture.isWeighted) {
    out.exp(0); // denominators of luma and chroma
    if (chromaFormat !== 0) out.exp(0);
    out.bit(0); // no weights
    if (chromaFormat !== 0) out.bit(0);
  }
  out.bit(0); // the oldest reference goes
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
