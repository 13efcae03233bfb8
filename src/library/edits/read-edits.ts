import { MAX_MONTAGE_FILES } from "../../../protocol/job-base.ts";
import { MAX_TAKES } from "../../../protocol/jobs.ts";
import { type EditedVideo, keptRanges, type Montage, montageOf } from "../../media/edits/montage.ts";
import { checkPublicUrl, urlHint } from "../../platform/network/public-url.ts";
import { type EditFields, EXPUNGED } from "./fields.ts";

/** Notes a field of an input that is refused. */
type Refuse = (path: PropertyKey[], message: string, hint?: string) => void;

/** A `video` input, whose own URL and range are checked. */
export interface VideoWithEdits {
  url: string;
  /** Where the request names it, such as `inputs[0]`. */
  path: string;
  startMs: number;
  endMs: number | null;
  edits: EditFields;
}

/** Checks what a request says about one video. @param refuse takes paths within the input */
export function readEdits(
  { url, path, startMs, endMs, edits }: VideoWithEdits,
  allowPrivateNetwork: boolean,
  refuse: Refuse,
): EditedVideo {
  const checked = (text: string, field: PropertyKey[]): string => {
    const file = checkPublicUrl(text, allowPrivateNetwork);
    if (!file.ok) refuse(field, file.message, urlHint(file.message));
    return file.ok ? file.url.href : "";
  };
  const isWithin = (ms: number) => ms >= startMs && ms <= (endMs ?? Infinity);
  const insertions = (edits.segments ?? []).map((segment, position) => {
    const field = ["segments", position];
    const atMs = "insertAt" in segment ? Math.round(segment.insertAt * 1000) : null;
    if (atMs !== null && !isWithin(atMs))
      refuse([...field, "insertAt"], "is invalid", "must be between `startTime` and `endTime`");
    return { url: checked(segment.url, [...field, "url"]), atMs };
  });
  const expunged = readExpunged(edits.expungeSegments ?? [], { startMs, endMs }, refuse);
  if (expunged.length > 0 && keptRanges({ startMs, endMs, expunged }).length === 0)
    refuse(["expungeSegments"], "is invalid", "must leave something of the video");
  return {
    url,
    path,
    startMs,
    endMs,
    introUrl: isGiven(edits.introUrl) ? checked(edits.introUrl, ["introUrl"]) : null,
    outroUrl: isGiven(edits.outroUrl) ? checked(edits.outroUrl, ["outroUrl"]) : null,
    expunged,
    insertions,
  };
}

const isGiven = (text: string | null | undefined): text is string => text !== undefined && text !== null && text !== "";

function readExpunged(
  texts: readonly string[],
  { startMs, endMs }: { startMs: number; endMs: number | null },
  refuse: Refuse,
): { startMs: number; endMs: number }[] {
  const ranges: { startMs: number; endMs: number }[] = [];
  for (const [position, text] of texts.entries()) {
    const [, from = "", to = ""] = EXPUNGED.exec(text) ?? [];
    const range = { startMs: Math.round(Number(from) * 1000), endMs: Math.round(Number(to) * 1000) };
    const invalid = (hint: string) => refuse(["expungeSegments", position], "is invalid", hint);
    if (range.endMs <= range.startMs) invalid("must end after it starts");
    else if (range.endMs <= startMs || range.startMs >= (endMs ?? Infinity))
      invalid("must be between `startTime` and `endTime`");
    else if (ranges.some((other) => range.startMs < other.endMs && other.startMs < range.endMs))
      invalid("must not overlap another range");
    ranges.push(range);
  }
  return ranges;
}

/**
 * The montage of a request's videos; null for one video without edits.
 *
 * @param refuse takes paths within the list of inputs
 */
export function readMontage(videos: readonly EditedVideo[], refuse: Refuse): Montage | null {
  const [first, ...others] = videos;
  if (first === undefined) return null;
  const montage = montageOf([first, ...others]);
  if (montage === null) return null;
  if (montage.files.length > MAX_MONTAGE_FILES)
    refuse([], "is invalid", `must name at most ${MAX_MONTAGE_FILES} different files of videos`);
  else if (montage.takes.length > MAX_TAKES)
    refuse([], "is invalid", `must lead to at most ${MAX_TAKES} ranges that follow each other`);
  return montage;
}
