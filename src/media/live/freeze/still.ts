import { AAC_FRAME_SAMPLES } from "../../../../protocol/media/audio-plan.ts";
import { findContent, fragmentSamples } from "../../mp4/fragment-samples.ts";
import { skipPictures } from "../../../../protocol/media/h264/skip-picture.ts";

/** The substitute for a rendition while no media arrives: one sample per frame position in a segment. */
export interface Still {
  /** Duration of each sample. */
  frameTicks: number;
  /** @param number from 0 in each segment; a segment begins with a key frame */
  sample(number: number): Uint8Array;
  isSync(number: number): boolean;
}

const TRACK = [{ type: "moov" }, { type: "trak" }, { type: "mdia" }, { type: "minf" }, { type: "stbl" }];
const DESCRIPTIONS = { type: "stsd", skip: 8 };
/** Fixed fields of a sample entry (ISO/IEC 14496-12 §12.1.3, §12.2.3). */
const [VISUAL_BYTES, AUDIO_BYTES] = [78, 28];
const CHANNELS_AT = 16;

/** AAC-LC frames of silence: one and two channels without spectral data (ISO/IEC 14496-3 §4.4.2.1). */
const SILENCE: Record<number, Uint8Array> = {
  1: Uint8Array.of(0x00, 0xc8, 0x00, 0x80, 0x23, 0x80),
  2: Uint8Array.of(0x21, 0x00, 0x49, 0x90, 0x02, 0x19, 0x00, 0x23, 0x80),
};

/**
 * A still: the last key frame of a segment, repeated by frames that change nothing. Null when such frames cannot be made for the stream.
 *
 * @param init the init segment @param segment the newest segment that has bytes
 */
export function stillPicture(init: Uint8Array, segment: Uint8Array): Still | null {
  const avcC = findContent(init, [...TRACK, DESCRIPTIONS, { type: "avc1", skip: VISUAL_BYTES }, { type: "avcC" }]);
  const samples = fragmentSamples(segment);
  const key = samples?.findLast(({ isSync }) => isSync)?.data.slice();
  const skip = avcC && key && skipPictures(avcC, key);
  const frameTicks = samples?.at(-1)?.durationTicks ?? 0;
  if (!skip || key === undefined || frameTicks === 0) return null;
  return { frameTicks, sample: (number) => (number === 0 ? key : skip(number)), isSync: (number) => number === 0 };
}

/** Silence in the format of an AAC-LC rendition. Null unless it is mono or stereo. */
export function stillSound(init: Uint8Array): Still | null {
  const entry = findContent(init, [...TRACK, DESCRIPTIONS, { type: "mp4a" }]);
  const frame =
    entry && entry.length > AUDIO_BYTES ? SILENCE[entry[CHANNELS_AT]! * 256 + entry[CHANNELS_AT + 1]!] : null;
  return frame ? { frameTicks: AAC_FRAME_SAMPLES, sample: () => frame, isSync: () => true } : null;
}
