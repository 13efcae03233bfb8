import { z } from "@hono/zod-openapi";
import { MetadataRecord } from "../../records/fields.ts";
import { TrackRecord } from "../../records/media.ts";
import { PlaybackIdRecord } from "../../records/playback-id.ts";
import { line, Metadata } from "../../platform/http/fields.ts";
import { changedElsewhere } from "../../platform/http/hints/changed-elsewhere.ts";
import { orNull } from "../../platform/http/hints/later.ts";
import { validationProblem } from "../../platform/http/validation.ts";
import { checkPublicUrl, urlHint } from "../../platform/network/public-url.ts";
import type { TrackRequest } from "../tracks/store/new-track.ts";
import { AccessRestrictionFields, DrmConfigurationId, MediaPolicy } from "../../tenancy/access/index.ts";
import type { EditedVideo, Montage } from "../../media/edits/montage.ts";
import { editFields, MAX_SECONDS } from "../edits/fields.ts";
import type { RequestedMark } from "../../media/edits/watermark.ts";
import { readWatermark } from "../edits/read-watermark.ts";
import { readEdits, readMontage } from "../edits/read-edits.ts";
import { isClip, mediaIdIn } from "../clips/clip-address.ts";
import { insightFields } from "../insights/store/orders.ts";
import { MadeSubtitles, madeTracks } from "../tracks/store/made-subtitles.ts";
import { INPUTS_BESIDE, refusal, tracksOfInputs } from "./track-inputs.ts";

const shortText = line(255);

const VideoInput = z
  .object({
    type: z.literal("video"),
    url: z.string().min(1).openapi({
      description:
        "http or https, reachable from the internet, at most 2,048 characters. `fp_mediaId://{mediaId}` makes a clip of a media that is `Ready`: to the frame, and ready within seconds. A clip has no other inputs, and the qualities of its media up to `maxResolution`",
      example: "https://example.com/film.mp4",
    }),
    startTime: z
      .number()
      .min(0)
      .max(MAX_SECONDS)
      .optional()
      .openapi({ description: "Seconds into the source where the media starts" }),
    endTime: z
      .number()
      .positive()
      .max(MAX_SECONDS)
      .optional()
      .openapi({ description: "Seconds into the source where the media ends" }),
    ...editFields,
  })
  .openapi("VideoInput");

const Mp4Support = z.enum(["none", "capped_4k", "audioOnly", "audioOnly,capped_4k"]);

export const CreateAsset = z
  .object({
    inputs: z
      .array(z.discriminatedUnion("type", [VideoInput, ...INPUTS_BESIDE]))
      .min(1)
      .openapi({
        description:
          "`video` inputs, which follow each other, at most one `audio` input, at most one `watermark`, and any number of subtitles. The first video gives size, rate and tracks of the media",
        example: [{ type: "video", url: "https://example.com/film.mp4" }],
      }),
    accessPolicy: MediaPolicy.default("public"),
    title: shortText.optional(),
    creatorId: shortText.optional(),
    metadata: Metadata.optional(),
    maxResolution: z.enum(["2160p", "1440p", "1080p", "720p", "480p"]).default("1080p"),
    mediaQuality: z.enum(["standard", "pro", "premium"]).default("standard"),
    mp4Support: Mp4Support.nullish().openapi({
      description:
        "Files that viewers may download once the media is `Ready`: `capped_4k` at `/{playbackId}/capped-4k.mp4`, `audioOnly` at `/{playbackId}/audio.m4a`",
    }),
    sourceAccess: z.boolean().nullish().openapi({
      description: "Whether viewers may download the original file, at `/{playbackId}/source`",
      default: false,
    }),
    optimizeAudio: z.boolean().nullish().openapi({
      description: "Brings each sound of the media to a loudness of -16 LUFS, with peaks of at most -1 dBTP (EBU R128)",
      default: false,
    }),
    drmConfigurationId: DrmConfigurationId,
    subtitles: orNull(MadeSubtitles),
    ...insightFields,
    accessRestrictions: AccessRestrictionFields.optional().openapi({ description: "Of the first playback ID" }),
  })
  .openapi("CreateMedia");
export type CreateAsset = z.infer<typeof CreateAsset>;

/** What a body asks to fetch. */
export interface Inputs {
  source: SourceInput;
  tracks: TrackRequest[];
}

export interface SourceInput {
  url: string;
  /** The media that it is a clip of; null = it is fetched. */
  clipOf: string | null;
  clipStartMs: number;
  clipEndMs: number | null;
  /** Null = the range of one file, as it is. */
  montage: Montage | null;
  /** Null = none. */
  watermark: RequestedMark | null;
}

/** The same for a media of another workspace and for an id that never existed. */
export const UNKNOWN_MEDIA = "must name a media of this workspace";

/** Added to the hint for what may be the path of a file. */
const TAKES_FILES = ", such as https://example.com/film.mp4; POST /v1/on-demand/upload takes files of your own";
const MAY_BE_FILES: ReadonlySet<string> = new Set(["malformed", "scheme"]);

/** Checks the URLs against the networks that this deployment may reach, and the clip's ends. */
function checkInputs(
  inputs: CreateAsset["inputs"],
  allowPrivateNetwork: boolean,
): Inputs | { issues: z.core.$ZodIssue[] } {
  const issues: z.core.$ZodIssue[] = [];
  const refuse = refusal(issues, ["inputs"]);
  const tracks = tracksOfInputs(inputs, allowPrivateNetwork, refuse);
  const watermark = readWatermark(inputs, allowPrivateNetwork, refuse);
  const videos: EditedVideo[] = [];
  for (const [position, input] of inputs.entries()) {
    if (input.type !== "video") continue;
    const { url, startTime = 0, endTime, ...edits } = input;
    const checked = isClip(url) ? null : checkPublicUrl(url, allowPrivateNetwork);
    const { type: _, ...given } = edits;
    const isEdited = Object.values(given).some((value) => value !== undefined && value !== null && value.length > 0);
    if (checked === null && mediaIdIn(url) === null) refuse([position, "url"], UNKNOWN_MEDIA, UNKNOWN_MEDIA);
    else if (checked === null && (inputs.length > 1 || isEdited))
      refuse([position], "is invalid", "must be the only input and have no edits: it is a clip");
    else if (checked !== null && !checked.ok)
      refuse(
        [position, "url"],
        checked.message,
        urlHint(checked.message) + (MAY_BE_FILES.has(checked.problem) ? TAKES_FILES : ""),
      );
    else if (endTime !== undefined && endTime <= startTime)
      refuse([position, "endTime"], "is invalid", "must be greater than `startTime`");
    else {
      const video = {
        url: checked === null ? url : checked.url.href,
        path: `inputs[${position}]`,
        startMs: Math.round(startTime * 1000),
        endMs: endTime === undefined ? null : Math.round(endTime * 1000),
        edits,
      };
      videos.push(readEdits(video, allowPrivateNetwork, (path, ...words) => refuse([position, ...path], ...words)));
    }
  }
  const montage = readMontage(videos, refuse);
  const [first] = videos;
  if (issues.length === 0 && first === undefined) refuse([], "is invalid", "must have a `video` input");
  if (first === undefined || issues.length > 0) return { issues };
  const whole = { clipStartMs: 0, clipEndMs: null };
  const range = { clipStartMs: first.startMs, clipEndMs: first.endMs };
  const clipOf = mediaIdIn(first.url);
  const url = clipOf === null ? first.url : `fp_mediaId://${clipOf}`;
  return { source: { url, clipOf, ...(montage === null ? range : whole), montage, watermark }, tracks };
}

/** @throws {Problem} validation_failed */
export function requireInputs(body: CreateAsset, allowPrivateNetwork: boolean): Inputs {
  const checked = checkInputs(body.inputs, allowPrivateNetwork);
  if ("issues" in checked) throw validationProblem(checked, { data: body, schema: null });
  return { ...checked, tracks: [...checked.tracks, ...madeTracks(body)] };
}

/** Issues of the inputs of a body that is already invalid, so that one response reports every offending field. */
export function inputIssues(body: unknown, allowPrivateNetwork: boolean): z.core.$ZodIssue[] {
  const inputs = CreateAsset.shape.inputs.safeParse((body as { inputs?: unknown } | null)?.inputs);
  if (!inputs.success) return [];
  const checked = checkInputs(inputs.data, allowPrivateNetwork);
  return "issues" in checked ? checked.issues : [];
}

const AT_CREATION = "it is fixed when the media is created";
const POLICIES = "each playback ID has its own: create one with POST /v1/on-demand/{mediaId}/playback-ids";
export const UpdateAsset = changedElsewhere(
  z
    .object({ title: shortText.optional(), creatorId: shortText.optional(), metadata: Metadata.optional() })
    .openapi("UpdateMedia", { description: "`metadata` is replaced as a whole" }),
  {
    sourceAccess: "use PATCH /v1/on-demand/{mediaId}/source-access",
    mp4Support: "use PATCH /v1/on-demand/{mediaId}/update-mp4Support",
    accessPolicy: POLICIES,
    accessRestrictions: POLICIES,
    playbackIds: POLICIES,
    maxResolution: AT_CREATION,
    mediaQuality: AT_CREATION,
    drmConfigurationId: AT_CREATION,
    inputs: AT_CREATION,
  },
);
export type UpdateAsset = z.infer<typeof UpdateAsset>;

export const UpdateMp4Support = z.object({ mp4Support: Mp4Support }).openapi("UpdateMp4Support");
export const UpdateSourceAccess = z.object({ sourceAccess: z.boolean() }).openapi("UpdateSourceAccess");

export const CreatedMedia = z
  .object({
    id: z.uuid(),
    trial: z.boolean(),
    status: z.literal("Created"),
    createdAt: z.string(),
    updatedAt: z.string(),
    playbackIds: z.array(PlaybackIdRecord),
    metadata: MetadataRecord,
    title: z.string().optional(),
    creatorId: z.string().optional(),
    mediaQuality: z.string(),
    sourceAccess: z.boolean(),
    maxResolution: z.string(),
    inputs: z.array(z.object({ type: z.string(), url: z.string() })),
    optimizeAudio: z.boolean(),
  })
  .openapi("CreatedMedia");

export const InputInfo = z
  .object({
    configuration: z.object({ url: z.string() }),
    file: z.object({ containerFormat: z.string().optional(), tracks: z.array(TrackRecord) }),
  })
  .openapi("InputInfo");
