import type { PictureTake, SoundTake } from "../../../protocol/jobs.ts";
import {
  MAX_CLOCK_SPANS,
  type SourceAudio,
  type SourceFacts,
  type SourceVideo,
} from "../../../protocol/source-facts.ts";
import type { Montage } from "../../media/edits/montage.ts";
import type { CopyFacts } from "../../media/mp4/index-source.ts";
import { type CopiedTake, copiedTakes } from "./copied-takes.ts";
import { type ResolvedTake, resolveTakes } from "../../media/edits/resolve-takes.ts";

/** What jobs of a montage have in addition to those of one range. */
export interface MontagePlan {
  /** Null = no file has a picture. */
  picture: { pictures: (SourceVideo | null)[]; takes: PictureTake[]; copiesTopRung?: true } | null;
  /** For each sound of the output: the sound of each file. */
  sounds: (SourceAudio | null)[][];
  soundTakes: SoundTake[];
}

/** The longest media. */
const MAX_DURATION_MS = 12 * 3600_000;

/**
 * Plans the output of a montage. The file of the first video gives the canvas and the sounds; the first one that has a picture, or sound, if it has none.
 * Pure.
 *
 * @param files facts of each
 * @param copies by file, as far as the pictures may be copied
 * @returns facts of the output as if it were one file, or what is wrong in words for the owner
 */
export function planMontage(
  montage: Montage,
  files: readonly SourceFacts[],
  copies: readonly (CopyFacts | null)[],
): { facts: SourceFacts; plan: MontagePlan } | { problem: string; isTooLong: boolean } {
  const jumps = files.reduce((sum, file) => sum + spansOf(file), 0);
  if (jumps > MAX_CLOCK_SPANS)
    return { problem: `The clocks of the files jump more than ${MAX_CLOCK_SPANS} times in all.`, isTooLong: false };
  const resolved = resolveTakes(
    montage,
    files.map(({ durationMs }) => durationMs),
  );
  if ("problem" in resolved) return { ...resolved, isTooLong: false };
  const canvas = files.find(({ video }) => video !== null)?.video ?? null;
  const copied = copiedTakes(montage, files, copies);
  const placed =
    copied?.map(placedCopy) ?? (canvas === null ? inMilliseconds(resolved.takes) : inFrames(resolved.takes, canvas));
  const soundTakes = placed.map(({ take, durationMs }) => ({ ...take, durationMs }));
  const durationMs = soundTakes.reduce((sum, take) => sum + take.durationMs, 0);
  if (durationMs > MAX_DURATION_MS) return { problem: "The media is longer than 12 hours.", isTooLong: true };
  const own = files.find(({ audio }) => audio.length > 0)?.audio ?? [];
  const { clock: _, gridMs: __, ...shape } = canvas ?? {};
  const video = canvas === null ? null : { ...(shape as SourceVideo), startMs: 0, durationMs };
  return {
    facts: {
      containerFormat: files[0]?.containerFormat ?? "",
      durationMs,
      video,
      audio: own.map(({ clock: _clock, ...sound }) => ({ ...sound, startMs: 0, durationMs })),
      subtitles: [],
    },
    plan: {
      picture: canvas && {
        pictures: files.map((file) => file.video),
        takes: placed.map(({ take, frameCount }) => ({ ...take, frameCount })),
        ...(copied === null ? {} : { copiesTopRung: true }),
      },
      sounds: own.map((sound) => files.map((file) => counterpart(sound, file.audio))),
      soundTakes,
    },
  };
}

/** A picture and its sounds have the same clock, which each job carries. */
const spansOf = ({ video, audio }: SourceFacts): number =>
  Math.max(0, ...[...(video === null ? [] : [video]), ...audio].map(({ clock }) => clock?.length ?? 0));

interface PlacedTake {
  take: Pick<SoundTake, "file" | "clip">;
  durationMs: number;
  frameCount: number;
}

const clipOf = ({ file, startMs, endMs }: ResolvedTake) => ({ file, clip: { startMs, endMs } });

const placedCopy = ({ file, frameCount, durationMs }: CopiedTake): PlacedTake => ({
  take: { file, clip: { startMs: 0, endMs: durationMs } },
  durationMs,
  frameCount,
});

const inMilliseconds = (takes: ResolvedTake[]): PlacedTake[] =>
  takes.map((take) => ({ take: clipOf(take), durationMs: take.endMs - take.startMs, frameCount: 0 }));

/** Takes begin and end at frames of the output, and what is rounded does not add up. Those without a frame are left out. */
function inFrames(takes: ResolvedTake[], { frameRate: { num, den } }: SourceVideo): PlacedTake[] {
  const frames = (ms: number) => Math.round((ms * num) / (den * 1000));
  let [endMs, endFrame] = [0, 0];
  return takes.flatMap((take) => {
    endMs += take.endMs - take.startMs;
    const frameCount = frames(endMs) - endFrame;
    if (frameCount === 0) return [];
    endFrame += frameCount;
    return [{ take: clipOf(take), durationMs: (frameCount * den * 1000) / num, frameCount }];
  });
}

/** The sound of a file that continues a sound of the output: in its language, or else the file's default. */
const counterpart = ({ languageCode }: SourceAudio, sounds: SourceAudio[]): SourceAudio | null =>
  sounds.find((sound) => sound.languageCode === languageCode) ??
  sounds.find(({ isDefault }) => isDefault) ??
  sounds[0] ??
  null;
