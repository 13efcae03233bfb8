import type { VideoRung } from "../../../protocol/jobs.ts";
import type { SourceFacts } from "../../../protocol/source-facts.ts";
import { planGrid } from "../../../protocol/ladder.ts";
import type { CopyFacts } from "../../media/mp4/index-source.ts";
import type { Montage } from "../../media/edits/montage.ts";

/** A take whose pictures can be copied. */
export interface CopiedTake {
  file: number;
  frameCount: number;
  /** Of its pictures. */
  durationMs: number;
}

/** Sound that outlasts its picture by no more than this is cut where the next file begins. */
const LONGEST_CUT_SOUND_MS = 250;

/** Whether the request is a join of whole files, whose indexes are then worth reading. */
export const joinsWholeFiles = ({ takes }: Montage): boolean =>
  takes.length > 1 && takes.every(({ startMs, endMs }) => startMs === 0 && endMs === null);

/**
 * The takes of a join, if their pictures can be copied: all files have the same parameters of the codec, and each begins where a segment of the output
 * does. Pure.
 *
 * @param files facts of each
 * @param copies by file; null = its pictures cannot be copied
 */
export function copiedTakes(
  montage: Montage,
  files: readonly SourceFacts[],
  copies: readonly (CopyFacts | null)[],
): CopiedTake[] | null {
  const [first] = copies;
  if (!first || !joinsWholeFiles(montage)) return null;
  const { num, den } = first.frameRate;
  const areAlike = files.every(({ video, durationMs }, file) => {
    const copy = copies[file];
    if (!copy || video === null || video.startMs !== 0 || video.clock !== undefined) return false;
    const rates = [video.frameRate, copy.frameRate];
    const pictureMs = (copy.frameCount * den * 1000) / num;
    return (
      copy.configuration === first.configuration &&
      rates.every((rate) => rate.num === num && rate.den === den) &&
      durationMs <= pictureMs + LONGEST_CUT_SOUND_MS
    );
  });
  if (!areAlike) return null;
  const { framesPerSegment } = planGrid(first.frameRate);
  const takes = montage.takes.map(({ file }) => {
    const { frameCount } = copies[file]!;
    return { file, frameCount, durationMs: (frameCount * den * 1000) / num };
  });
  return takes.slice(0, -1).every(({ frameCount }) => frameCount % framesPerSegment === 0) ? takes : null;
}

/** Whether the pictures of the files are what the first rung would be: of its size, and within its bitrate. */
export const suitTopRung = (
  video: { source: { widthPx: number; heightPx: number }; rungs: VideoRung[] },
  copies: readonly (CopyFacts | null)[],
): boolean => {
  const [top] = video.rungs;
  const { widthPx, heightPx } = video.source;
  const isSameSize = top?.widthPx === widthPx && top.heightPx === heightPx;
  return isSameSize && copies.every((copy) => copy !== null && copy.bitrateBps <= top.maxBitrateBps);
};
