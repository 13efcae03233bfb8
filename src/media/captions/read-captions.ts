import {
  type CaptionFormat,
  CaptionsError,
  type Cue,
  type CueList,
  MAX_CAPTION_BYTES,
  type SkippedCue,
} from "./cue.ts";
import { isScc, parseScc } from "./scc.ts";
import { isSrt, parseSrt } from "./srt.ts";
import { decodeText } from "./text-encoding.ts";
import { isTtml, parseTtml } from "./ttml.ts";
import { isWebVtt, parseWebVtt } from "./webvtt.ts";

/** The captions of a file, and what was found out about it. */
export interface Captions {
  format: CaptionFormat;
  /** A label of the WHATWG Encoding Standard. */
  encoding: string;
  /** By their start. */
  cues: Cue[];
  /** Cues that no player can show: without duration or text, or before the start. */
  skipped: number;
  /** The first of those. */
  firstSkipped: SkippedCue[];
}

/** By what the file begins with. SRT has no signature, so it comes last. */
const FORMATS: [CaptionFormat, (text: string) => boolean, (text: string) => CueList][] = [
  ["webvtt", isWebVtt, parseWebVtt],
  ["scc", isScc, parseScc],
  ["ttml", isTtml, parseTtml],
  ["srt", isSrt, parseSrt],
];

/**
 * Reads a caption file of any supported format and text encoding. Work and memory are bounded by the size of the file.
 *
 * @param languageCode of the track, which decides between encodings that nothing else tells apart
 * @throws {CaptionsError}
 */
export function readCaptions(bytes: Uint8Array, languageCode: string): Captions {
  if (bytes.byteLength > MAX_CAPTION_BYTES) throw new CaptionsError("captions_too_large");
  const { text, encoding } = decodeText(bytes, languageCode);
  const [format, , parse] = FORMATS.find(([, isIt]) => isIt(text)) ?? [];
  if (format === undefined || parse === undefined) throw new CaptionsError("captions_unknown_format");
  const list = parse(text);
  if (list.cues.length === 0) throw new CaptionsError("captions_empty");
  const { skipped, firstSkipped } = list;
  return { format, encoding, cues: list.sorted(), skipped, firstSkipped };
}
