import { Bits } from "./bits.ts";

/** Fields of a sequence parameter set (ITU-T H.264 §7.3.2.1). */
export interface SequenceParameters {
  id: number;
  profile: number;
  chromaFormat: number; // 1 = 4:2:0
  bitDepth: number;
  progressive: boolean;
  /** After cropping, in coded pixels. */
  widthPx: number;
  heightPx: number;
  /** Sample aspect ratio; 1 when absent. */
  pixelAspect: number;
  /** Null when absent. */
  colour: Colour | null;
  /** Coded size in macroblocks. */
  macroblocks: number;
  /** Length of `frame_num` in slice headers, in bits. */
  frameNumBits: number;
  pictureOrder: PictureOrder;
  /** `max_num_ref_frames`; 0 in a stream of key frames only. */
  referenceFrames: number;
}

export interface Colour {
  isFullRange: boolean;
  /** `transfer_characteristics` (ITU-T H.273 §8.2); 2 = not specified. */
  transfer: number;
}

/**
 * `pic_order_cnt_type`; `lsbBits` is the length of `pic_order_cnt_lsb`, 0 unless the type is 0; `hasDeltas` is the opposite of
 * `delta_pic_order_always_zero_flag`, false unless the type is 1.
 */
export interface PictureOrder {
  type: number;
  lsbBits: number;
  hasDeltas: boolean;
}

const PROFILES_WITH_CHROMA = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]);
/** `num_ref_frames_in_pic_order_cnt_cycle` */
const MAX_ORDER_CYCLE = 255;
/** Table E-1, entries 0 to 16. */
const PIXEL_ASPECTS = [
  1,
  1,
  12 / 11,
  10 / 11,
  16 / 11,
  40 / 33,
  24 / 11,
  20 / 11,
  32 / 11,
  80 / 33,
  18 / 11,
  15 / 11,
  64 / 33,
  160 / 99,
  4 / 3,
  3 / 2,
  2,
];

/** Null for a damaged one. @param unit the NAL unit with its 1-byte header and emulation prevention */
export function parseSequenceParameters(unit: Uint8Array): SequenceParameters | null {
  const bits = new Bits(withoutEmulationPrevention(unit.subarray(1)));
  const profile = bits.read(8);
  bits.read(16); // constraint flags, level
  const id = bits.exp();
  let chromaFormat = 1;
  let bitDepth = 8;
  if (PROFILES_WITH_CHROMA.has(profile)) {
    chromaFormat = bits.exp();
    if (chromaFormat === 3) bits.flag();
    bitDepth = Math.max(8 + bits.exp(), 8 + bits.exp());
    bits.flag();
    if (bits.flag()) skipScalingLists(bits, chromaFormat === 3 ? 12 : 8);
  }
  const frameNumBits = 4 + bits.exp();
  const pictureOrder = readPictureOrder(bits);
  if (pictureOrder === null) return null;
  const referenceFrames = bits.exp();
  bits.flag();
  const widthInBlocks = bits.exp() + 1;
  const heightInUnits = bits.exp() + 1;
  const progressive = bits.flag();
  if (!progressive) bits.flag();
  bits.flag();
  const crop = bits.flag() ? [bits.exp(), bits.exp(), bits.exp(), bits.exp()] : [0, 0, 0, 0];
  const hasUsability = bits.flag();
  const pixelAspect = hasUsability ? readPixelAspect(bits) : 1;
  const colour = hasUsability ? readColour(bits) : null;
  const cropUnitX = chromaFormat === 1 || chromaFormat === 2 ? 2 : 1;
  const cropUnitY = (chromaFormat === 1 ? 2 : 1) * (progressive ? 1 : 2);
  return {
    id,
    profile,
    chromaFormat,
    bitDepth,
    progressive,
    widthPx: widthInBlocks * 16 - (crop[0]! + crop[1]!) * cropUnitX,
    heightPx: heightInUnits * 16 * (progressive ? 1 : 2) - (crop[2]! + crop[3]!) * cropUnitY,
    pixelAspect,
    colour,
    macroblocks: widthInBlocks * heightInUnits * (progressive ? 1 : 2),
    frameNumBits,
    pictureOrder,
    referenceFrames,
  };
}

function readPixelAspect(bits: Bits): number {
  if (!bits.flag()) return 1;
  const code = bits.read(8);
  if (code !== 255) return PIXEL_ASPECTS[code] ?? 1;
  const width = bits.read(16);
  const height = bits.read(16);
  return width > 0 && height > 0 ? width / height : 1;
}

const TRANSFER_UNSPECIFIED = 2;

/** The fields behind the pixels' aspect ratio (§E.1.1). */
function readColour(bits: Bits): Colour | null {
  if (bits.flag()) bits.flag(); // overscan
  if (!bits.flag()) return null;
  bits.read(3); // video format
  const isFullRange = bits.flag();
  if (!bits.flag()) return { isFullRange, transfer: TRANSFER_UNSPECIFIED };
  bits.read(8); // primaries
  return { isFullRange, transfer: bits.read(8) };
}

function readPictureOrder(bits: Bits): PictureOrder | null {
  const type = bits.exp();
  const lsbBits = type === 0 ? 4 + bits.exp() : 0;
  if (type !== 1) return { type, lsbBits, hasDeltas: false };
  const hasDeltas = !bits.flag();
  bits.signedExp();
  bits.signedExp();
  const cycle = bits.exp();
  if (cycle > MAX_ORDER_CYCLE) return null;
  for (let n = 0; n < cycle; n++) bits.signedExp();
  return { type, lsbBits, hasDeltas };
}

function skipScalingLists(bits: Bits, lists: number) {
  for (let list = 0; list < lists; list++) {
    if (!bits.flag()) continue;
    let next = 8;
    for (let n = 0; n < (list < 6 ? 16 : 64) && next !== 0; n++) next = (next + bits.signedExp() + 256) % 256;
  }
}

/** Fields of a picture parameter set on which slice headers depend (ITU-T H.264 §7.3.2.2). */
export interface PictureParameters {
  id: number;
  sequenceId: number;
  usesCabac: boolean;
  hasBottomFieldOrder: boolean; // `bottom_field_pic_order_in_frame_present_flag`
  sliceGroups: number;
  /** References of the lists 0 and 1 unless a slice says otherwise; 1 with slice groups, which are not parsed. */
  referenceCounts: [number, number];
  isWeighted: boolean; // `weighted_pred_flag`
  hasExplicitWeights: boolean; // `weighted_bipred_idc` is 1
  initialQp: number;
  hasDeblockingControl: boolean;
  hasRedundantCount: boolean;
}

/** @param unit the NAL unit with its 1-byte header and emulation prevention */
export function parsePictureParameters(unit: Uint8Array): PictureParameters {
  const bits = new Bits(withoutEmulationPrevention(unit.subarray(1)));
  const id = bits.exp();
  const sequenceId = bits.exp();
  const usesCabac = bits.flag();
  const hasBottomFieldOrder = bits.flag();
  const sliceGroups = bits.exp() + 1;
  const referenceCounts: [number, number] = sliceGroups === 1 ? [bits.exp() + 1, bits.exp() + 1] : [1, 1];
  const isWeighted = bits.flag();
  const hasExplicitWeights = bits.read(2) === 1;
  const initialQp = 26 + bits.signedExp();
  bits.signedExp();
  bits.signedExp();
  const hasDeblockingControl = bits.flag();
  bits.flag(); // constrained intra prediction
  const hasRedundantCount = bits.flag();
  return {
    id,
    sequenceId,
    usesCabac,
    hasBottomFieldOrder,
    sliceGroups,
    referenceCounts,
    isWeighted,
    hasExplicitWeights,
    initialQp,
    hasDeblockingControl,
    hasRedundantCount,
  };
}

/** Removes the 3 of every 0 0 3 (H.264 §7.3.1). */
export function withoutEmulationPrevention(bytes: Uint8Array): Uint8Array {
  const plain = new Uint8Array(bytes.length);
  let length = 0;
  let zeros = 0;
  for (const byte of bytes) {
    if (zeros >= 2 && byte === 3) {
      zeros = 0;
      continue;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
    plain[length++] = byte;
  }
  return plain.subarray(0, length);
}
