import type { KeySystem } from "../../media/cenc/content-key.ts";
import { z } from "@hono/zod-openapi";
import { hinted } from "../../platform/http/hints/issue-hints.ts";
import { validationProblem } from "../../platform/http/validation.ts";
import type { RequestedMark } from "../../media/edits/watermark.ts";
import { readWatermark } from "../edits/read-watermark.ts";
import type { Montage } from "../../media/edits/montage.ts";
import { CreateAsset } from "../assets/schemas.ts";
import { editFields, MAX_SECONDS } from "../edits/fields.ts";
import { readEdits, readMontage } from "../edits/read-edits.ts";
import { INPUTS_BESIDE, type Refuse, refusal, tracksOfInputs } from "../assets/track-inputs.ts";
import { madeTracks } from "../tracks/store/made-subtitles.ts";
import type { TrackRequest } from "../tracks/store/new-track.ts";

const { inputs: _, ...fields } = CreateAsset.shape;

/** The input of an upload is its file, so it has no URL. */
const UploadedInput = z.object({
  type: z.literal("video"),
  ...editFields,
});

const seconds = z.number().max(MAX_SECONDS);

/** `pushMediaSettings`: the settings of the media that an upload becomes (media contract, direct uploads). */
export const UploadSettings = z
  .object({
    ...fields,
    startTime: seconds.min(0).optional().openapi({ description: "Seconds into the file where the media starts" }),
    endTime: seconds.positive().optional().openapi({ description: "Seconds into the file where the media ends" }),
    inputs: z
      .array(z.discriminatedUnion("type", [UploadedInput, ...INPUTS_BESIDE]))
      .refine(
        (inputs) => inputs.filter(({ type }) => type === "video").length <= 1,
        hinted("is invalid", "must have at most one `video` input, which is the uploaded file"),
      )
      .optional()
      .openapi({
        description:
          "At most one `video` input, without a URL, at most one `audio` input, at most one `watermark`, and any number of subtitles",
      }),
  })
  .refine(({ startTime = 0, endTime }) => endTime === undefined || endTime > startTime, {
    path: ["endTime"],
    ...hinted("is invalid", "must be greater than `startTime`"),
  })
  .openapi("PushMediaSettings");
export type UploadSettings = z.infer<typeof UploadSettings>;

/**
 * Checks the inputs of an upload.
 *
 * @param url of the file that is uploaded
 * @returns what is fetched in addition to the file, and what the media is put together from
 * @throws {Problem} validation_failed
 */
export function requireInputs(
  settings: UploadSettings,
  url: string,
  allowPrivateNetwork: boolean,
): { tracks: TrackRequest[]; montage: Montage | null; watermark: RequestedMark | null } {
  const { inputs = [] } = settings;
  const issues: z.core.$ZodIssue[] = [];
  const refuse = refusal(issues, ["pushMediaSettings", "inputs"]);
  const tracks = [...tracksOfInputs(inputs, allowPrivateNetwork, refuse), ...madeTracks(settings)];
  const watermark = readWatermark(inputs, allowPrivateNetwork, refuse);
  const montage = montageOfUpload(url, settings, allowPrivateNetwork, refuse);
  if (issues.length > 0) throw validationProblem({ issues }, { data: { pushMediaSettings: { inputs } }, schema: null });
  return { tracks, montage, watermark };
}

/** Null = the file is the media, or a range of it is. */
function montageOfUpload(
  url: string,
  { inputs = [], startTime = 0, endTime }: Pick<UploadSettings, "inputs" | "startTime" | "endTime">,
  allowPrivateNetwork: boolean,
  refuse: Refuse,
): Montage | null {
  const position = inputs.findIndex(({ type }) => type === "video");
  const input = inputs[position];
  if (input?.type !== "video") return null;
  const { type: _, ...edits } = input;
  const video = {
    url,
    path: `inputs[${position}]`,
    startMs: Math.round(startTime * 1000),
    endMs: endTime === undefined ? null : Math.round(endTime * 1000),
    edits,
  };
  const edited = readEdits(video, allowPrivateNetwork, (path, ...words) => refuse([position, ...path], ...words));
  return readMontage([edited], refuse);
}

/**
 * As stored: with the key systems of the DRM configuration, absent without DRM, what the media is put together from, absent for a file or one range of it, its watermark,
 * and `Upload-Metadata` as a tus client sent it.
 */
export type StoredSettings = UploadSettings & {
  keySystems?: KeySystem[];
  montage?: Montage;
  watermark?: RequestedMark;
  tusMetadata?: string;
};
