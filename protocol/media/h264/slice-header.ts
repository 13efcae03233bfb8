import { Bits } from "./bits.ts";
import {
  parsePictureParameters,
  parseSequenceParameters,
  type PictureParameters,
  type SequenceParameters,
} from "./parameter-sets.ts";

/** Types of slices (table 7-6), except P. */
const [B, I, SP, SI] = [1, 2, 3, 4];
const IDR = 5;
/** More than the longest header: two lists of 32 references, reordered and weighted, take about 700 bytes. */
const MAX_HEADER_BYTES = 1024;
/** Entries of a list of commands. A longer one is damaged. */
const MAX_COMMANDS = 66;

/** The parameter sets of a stream, to which slices refer. */
export class ParameterSets {
  readonly #sequences = new Map<number, SequenceParameters>();
  readonly #pictures = new Map<number, PictureParameters>();

  /** @param unit a NAL unit of type 7 */
  addSequence(unit: Uint8Array): void {
    const sequence = parseSequenceParameters(unit);
    if (sequence !== null) this.#sequences.set(sequence.id, sequence);
  }

  /** @param unit a NAL unit of type 8 */
  addPicture(unit: Uint8Array): void {
    const picture = parsePictureParameters(unit);
    this.#pictures.set(picture.id, picture);
  }

  find(pictureParametersId: number): { picture: PictureParameters; sequence: SequenceParameters } | null {
    const picture = this.#pictures.get(pictureParametersId);
    const sequence = picture && this.#sequences.get(picture.sequenceId);
    return picture && sequence ? { picture, sequence } : null;
  }
}

/**
 * Bytes of a slice's NAL unit up to the end of its slice header (ITU-T H.264 §7.3.3), the NAL header and emulation prevention included.
 *
 * @param unit a NAL unit of type 1 or 5
 * @returns null when its parameter sets are unknown, or the header is damaged or has slice groups
 */
export function sliceHeaderBytes(unit: Uint8Array, sets: ParameterSets): number | null {
  const start = unit.subarray(1, 1 + MAX_HEADER_BYTES);
  const { plain, escapedAt } = withoutEscapes(start);
  const bits = new Bits(plain);
  if (!readHeader(bits, (unit[0] ?? 0) & 31, ((unit[0] ?? 0) & 0x60) !== 0, sets)) return null;
  if (bits.left < 0) return null;
  const plainBytes = Math.ceil((plain.length * 8 - bits.left) / 8);
  return 1 + plainBytes + escapedAt.filter((at) => at < plainBytes).length;
}

function readHeader(bits: Bits, unitType: number, isReference: boolean, sets: ParameterSets): boolean {
  bits.exp(); // first_mb_in_slice
  const type = bits.exp() % 5;
  const found = sets.find(bits.exp());
  if (found === null || found.picture.sliceGroups > 1) return false;
  const { picture, sequence } = found;
  const [isIdr, isIntra] = [unitType === IDR, type === I || type === SI];
  if (sequence.chromaFormat === 3) return false; // may have separate colour planes; no source or encoder of ours has it
  bits.read(sequence.frameNumBits);
  const isField = !sequence.progressive && bits.flag();
  if (isField) bits.flag();
  if (isIdr) bits.exp(); // idr_pic_id
  readPictureOrder(bits, sequence, picture.hasBottomFieldOrder && !isField);
  if (picture.hasRedundantCount) bits.exp();
  if (type === B) bits.flag(); // direct_spatial_mv_pred_flag
  const counts = isIntra ? [0, 0] : readReferenceCounts(bits, type, picture);
  const lists = counts.slice(0, type === B ? 2 : isIntra ? 0 : 1);
  for (const _ of lists) if (!skipReordering(bits)) return false;
  const isWeighted = type === B ? picture.hasExplicitWeights : !isIntra && picture.isWeighted;
  if (isWeighted) skipWeights(bits, lists, sequence.chromaFormat !== 0);
  if (isReference && !skipMarking(bits, isIdr)) return false;
  if (picture.usesCabac && !isIntra) bits.exp(); // cabac_init_idc
  bits.signedExp(); // slice_qp_delta
  if (type === SP) bits.flag();
  if (type === SP || type === SI) bits.signedExp();
  if (picture.hasDeblockingControl && bits.exp() !== 1) {
    bits.signedExp();
    bits.signedExp();
  }
  return true;
}

function readPictureOrder(bits: Bits, { pictureOrder }: SequenceParameters, hasBottomDelta: boolean): void {
  const { type, lsbBits, hasDeltas } = pictureOrder;
  if (type === 0) {
    bits.read(lsbBits);
    if (hasBottomDelta) bits.signedExp();
  } else if (hasDeltas) {
    bits.signedExp();
    if (hasBottomDelta) bits.signedExp();
  }
}

function readReferenceCounts(bits: Bits, type: number, { referenceCounts }: PictureParameters): number[] {
  if (!bits.flag()) return [...referenceCounts];
  const first = Math.min(bits.exp() + 1, 32);
  return [first, type === B ? Math.min(bits.exp() + 1, 32) : 0];
}

/** `ref_pic_list_modification` of one list (§7.3.3.1). */
function skipReordering(bits: Bits): boolean {
  if (!bits.flag()) return true;
  for (let n = 0; n < MAX_COMMANDS; n++) {
    const command = bits.exp();
    if (command === 3) return true;
    if (command > 3) return false;
    bits.exp();
  }
  return false;
}

/** `pred_weight_table` (§7.3.3.2). */
function skipWeights(bits: Bits, lists: number[], hasChroma: boolean): void {
  bits.exp();
  if (hasChroma) bits.exp();
  for (const references of lists)
    for (let n = 0; n < references; n++) {
      if (bits.flag()) skipSigned(bits, 2);
      if (hasChroma && bits.flag()) skipSigned(bits, 4);
    }
}

function skipSigned(bits: Bits, count: number): void {
  for (let n = 0; n < count; n++) bits.signedExp();
}

/** `dec_ref_pic_marking` (§7.3.3.3). */
function skipMarking(bits: Bits, isIdr: boolean): boolean {
  if (isIdr) {
    bits.read(2);
    return true;
  }
  if (!bits.flag()) return true;
  for (let n = 0; n < MAX_COMMANDS; n++) {
    const command = bits.exp();
    if (command === 0) return true;
    if (command > 6) return false;
    if (command !== 5) bits.exp();
    if (command === 3) bits.exp();
  }
  return false;
}

/** Removes the 3 of every 0 0 3 (§7.3.1). @returns also the positions in the plain bytes before which one was removed */
function withoutEscapes(bytes: Uint8Array): { plain: Uint8Array; escapedAt: number[] } {
  const plain = new Uint8Array(bytes.length);
  const escapedAt: number[] = [];
  let length = 0;
  let zeros = 0;
  for (const byte of bytes) {
    if (zeros >= 2 && byte === 3) {
      escapedAt.push(length);
      zeros = 0;
      continue;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
    plain[length++] = byte;
  }
  return { plain: plain.subarray(0, length), escapedAt };
}
