import { parsePictureParameters, parseSequenceParameters } from "../../passthrough/h264.ts";
import { BitWriter, withEmulationPrevention } from "./bit-writer.ts";
import { SKIP_SLICE_QP, writeSkippedWithCabac } from "./skipped-run.ts";

const P_SLICE = 5; // of all slices of the picture
const NAL_HEADER = 0x41; // a non-IDR slice that later pictures refer to

/** Makes access units that repeat the picture before them. @param number counts from 1 behind the key frame */
export type SkipPictures = (number: number) => Uint8Array;

/**
 * Pictures of a stream in which every macroblock is skipped: they show the picture before them again and take some tens of bytes.
 * Pictures refer to each other, because `pic_order_cnt_type` 2 allows no two others in a row.
 *
 * @param avcC AVCDecoderConfigurationRecord (ISO/IEC 14496-15 §5.3.3.1)
 * @returns null for a stream with fields, slice groups, several sequence parameter sets, or no references
 */
export function skipPictures(avcC: Uint8Array): SkipPictures | null {
  const sets = parameterSets(avcC);
  if (sets === null) return null;
  const sequence = parseSequenceParameters(sets.sequence);
  const picture = parsePictureParameters(sets.picture);
  const { pictureOrder, referenceFrames, progressive, frameNumBits, macroblocks, chromaFormat } = sequence;
  const isPlain = progressive && referenceFrames > 0 && pictureOrder.type !== 1 && picture.sliceGroups === 1;
  if (!isPlain || chromaFormat === 3) return null;
  return (number) => {
    const out = new BitWriter();
    out.exp(0); // first macroblock
    out.exp(P_SLICE);
    out.exp(picture.id);
    out.write(number % 2 ** frameNumBits, frameNumBits);
    if (pictureOrder.type === 0) {
      out.write((2 * number) % 2 ** pictureOrder.lsbBits, pictureOrder.lsbBits);
      if (picture.hasBottomFieldOrder) out.signedExp(0);
    }
    if (picture.hasRedundantCount) out.exp(0);
    out.bit(1); // its own number of references:
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
    const payload = withEmulationPrevention(out.bytes());
    const lengthBytes = (avcC[4]! & 3) + 1;
    const unit = new Uint8Array(lengthBytes + 1 + payload.length);
    for (let n = 0; n < lengthBytes; n += 1) unit[n] = ((payload.length + 1) / 256 ** (lengthBytes - 1 - n)) & 0xff;
    unit[lengthBytes] = NAL_HEADER;
    unit.set(payload, lengthBytes + 1);
    return unit;
  };
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
