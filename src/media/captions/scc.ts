import { Cea608 } from "../../../protocol/media/captions/cea608.ts";
import { CueList } from "./cue.ts";
import { Lines } from "./lines.ts";

export const isScc = (text: string): boolean => /^\uFEFF?\s*Scenarist_SCC V\d/.test(text);

const ROW = /^\s*(\d{1,2}):(\d{2}):(\d{2})([:;.,])(\d{2})\s+([0-9a-fA-F\s]+)$/;
/** The frame rate of the time code, and of the caption words: one word for each frame. */
const FRAME_MS = 1001 / 30;

/**
 * Cues of a Scenarist file: time codes and words of CEA-608, of the first channel of the first field. Each word takes a frame.
 *
 * @throws {CaptionsError} captions_too_large
 */
export function parseScc(text: string): CueList {
  const list = new CueList();
  const decoder = new Cea608((cue) => list.add(cue));
  const lines = new Lines(text);
  for (let row = lines.next(); row !== null; row = lines.next()) {
    const [, hours, minutes, seconds, mark, frame, words = ""] = ROW.exec(row) ?? [];
    if (hours === undefined) continue;
    const first = frameNumber([Number(hours), Number(minutes), Number(seconds), Number(frame)], mark !== ":");
    let position = -1;
    for (const [word] of words.matchAll(/[^\s]+/g)) {
      position += 1;
      const pair = Number.parseInt(word, 16);
      if (word.length === 4) decoder.push(pair >> 8, pair & 0xff, (first + position) * FRAME_MS);
    }
  }
  decoder.end();
  return list;
}

/** @param isDropFrame time code that leaves out two numbers each minute, except each tenth (SMPTE ST 12-1) */
function frameNumber([hours, minutes, seconds, frame]: [number, number, number, number], isDropFrame: boolean): number {
  const allMinutes = hours * 60 + minutes;
  const number = (allMinutes * 60 + seconds) * 30 + frame;
  return isDropFrame ? number - 2 * (allMinutes - Math.floor(allMinutes / 10)) : number;
}
