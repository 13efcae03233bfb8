import { z } from "@hono/zod-openapi";
import { MAX_IMPOSED_SOUNDS } from "../../../protocol/jobs.ts";
import { hinted } from "../../platform/http/hints/issue-hints.ts";
import { checkPublicUrl, urlHint } from "../../platform/network/public-url.ts";
import { WatermarkInput } from "../edits/read-watermark.ts";
import { LanguageName, SUBTITLE_LANGUAGES, subtitleFlags, TrackTitle } from "../tracks/store/fields.ts";
import { ImposeTrack, type ImposedFile, toImposedFile } from "../tracks/store/imposed-sound.ts";
import { type TrackRequest, TRACKS_PER_MEDIA } from "../tracks/store/new-track.ts";

const SubtitleInput = z
  .object({
    type: z.literal("subtitle"),
    url: z.string().min(1).openapi({
      description: "SRT, WebVTT, TTML or SCC; as the URL of a video",
      example: "https://example.com/film.it.srt",
    }),
    languageName: LanguageName,
    languageCode: z.enum(SUBTITLE_LANGUAGES).default("en-US"),
    title: TrackTitle.optional(),
    ...subtitleFlags,
  })
  .openapi("SubtitleInput");

const AudioInput = z
  .object({
    type: z.literal("audio"),
    swapTrackUrl: z.string().min(1).openapi({
      description: "Sound that takes the place of the source's own; as the URL of a video",
      example: "https://example.com/mix.wav",
    }),
    imposeTracks: z
      .array(ImposeTrack)
      .max(MAX_IMPOSED_SOUNDS)
      .optional()
      .openapi({ description: "Sounds that are mixed into that of `swapTrackUrl`" }),
  })
  .openapi("AudioInput");

/** The inputs of a media in addition to its source. */
export const INPUTS_BESIDE = [AudioInput, SubtitleInput, WatermarkInput] as const;
export type InputBeside = z.infer<(typeof INPUTS_BESIDE)[number]>;

/** Sound that replaces that of the source has the same labels (media contract, tracks). */
const OWN_SOUND = {
  kind: "audio",
  languageCode: "und",
  languageName: "default",
  default: true,
  replacesSound: true,
} as const;

/** Notes an input, or a part of it, that is refused. */
export type Refuse = (path: PropertyKey[], message: string, hint?: string) => void;

/** @param path of the inputs in the body */
export const refusal =
  (issues: z.core.$ZodIssue[], path: PropertyKey[]): Refuse =>
  (inner, message, hint = message) =>
    void issues.push({ code: "custom", path: [...path, ...inner], ...hinted(message, hint), input: undefined });

/** The tracks of a media's inputs. Checks their URLs against the networks that this deployment may reach. Other inputs are skipped. */
export function tracksOfInputs(
  inputs: readonly (InputBeside | { type: "video" })[],
  allowPrivateNetwork: boolean,
  refuse: Refuse,
): TrackRequest[] {
  const tracks: TrackRequest[] = [];
  for (const [position, input] of inputs.entries()) {
    if (input.type === "subtitle") {
      const file = checkPublicUrl(input.url, allowPrivateNetwork);
      if (file.ok) tracks.push({ ...input, kind: "subtitle", url: file.url.href });
      else refuse([position, "url"], file.message, urlHint(file.message));
    }
    if (input.type === "audio") {
      const file = checkPublicUrl(input.swapTrackUrl, allowPrivateNetwork);
      const imposed = imposedFiles(input, allowPrivateNetwork, (path, ...words) =>
        refuse([position, ...path], ...words),
      );
      if (!file.ok) refuse([position, "swapTrackUrl"], file.message, urlHint(file.message));
      else if (tracks.some(({ kind }) => kind === "audio"))
        refuse([position], "is invalid", "must be the only `audio` input");
      else tracks.push({ ...OWN_SOUND, url: file.url.href, imposed });
    }
  }
  if (tracks.length > TRACKS_PER_MEDIA)
    refuse([], "is invalid", `must have at most ${TRACKS_PER_MEDIA} inputs beside the video`);
  return tracks;
}

/** The sounds that are mixed into an input's own. */
function imposedFiles(
  { imposeTracks = [] }: z.infer<typeof AudioInput>,
  allowPrivateNetwork: boolean,
  refuse: Refuse,
): ImposedFile[] {
  const files: ImposedFile[] = [];
  for (const [position, track] of imposeTracks.entries()) {
    const path = ["imposeTracks", position];
    const file = checkPublicUrl(track.url, allowPrivateNetwork);
    if (!file.ok) refuse([...path, "url"], file.message, urlHint(file.message));
    else if (track.endTime !== undefined && track.endTime <= track.startTime)
      refuse([...path, "endTime"], "is invalid", "must be greater than `startTime`");
    else files.push(toImposedFile(track, file.url.href));
  }
  return files;
}
