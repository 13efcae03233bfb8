import type { KeySystem } from "../../media/cenc/content-key.ts";
import { z } from "@hono/zod-openapi";
import { hinted } from "../../platform/http/hints/issue-hints.ts";
import { later } from "../../platform/http/hints/later.ts";
import { validationProblem } from "../../platform/http/validation.ts";
import { CreateAsset } from "../assets/schemas.ts";
import { INPUTS_BESIDE, refusal, tracksOfInputs } from "../assets/track-inputs.ts";
import type { TrackRequest } from "../tracks/store/new-track.ts";

const { inputs: _, ...fields } = CreateAsset.shape;

/** The input of an upload is its file, so it has no URL. */
const UploadedInput = z.object({
  type: z.literal("video"),
  introUrl: later(),
  outroUrl: later(),
  expungeSegments: later(),
  segments: later(),
});

const seconds = z.number().max(43_200);

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
        description: "At most one `video` input, without a URL, at most one `audio` input, and any number of subtitles",
      }),
  })
  .refine(({ startTime = 0, endTime }) => endTime === undefined || endTime > startTime, {
    path: ["endTime"],
    ...hinted("is invalid", "must be greater than `startTime`"),
  })
  .openapi("PushMediaSettings");
export type UploadSettings = z.infer<typeof UploadSettings>;

/**
 * The tracks that are fetched in addition to the file.
 *
 * @throws {Problem} validation_failed
 */
export function requireTracks({ inputs = [] }: UploadSettings, allowPrivateNetwork: boolean): TrackRequest[] {
  const issues: z.core.$ZodIssue[] = [];
  const tracks = tracksOfInputs(inputs, allowPrivateNetwork, refusal(issues, ["pushMediaSettings", "inputs"]));
  if (issues.length > 0) throw validationProblem({ issues }, { data: { pushMediaSettings: { inputs } }, schema: null });
  return tracks;
}

/** As stored: with the key systems of the DRM configuration, absent without DRM, and `Upload-Metadata` as a tus client sent it. */
export type StoredSettings = UploadSettings & { keySystems?: KeySystem[]; tusMetadata?: string };
