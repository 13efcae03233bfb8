import type { KeySystem } from "../../media/cenc/content-key.ts";
import { z } from "@hono/zod-openapi";
import { hinted } from "../../platform/http/issue-hints.ts";
import { later } from "../../platform/http/later.ts";
import { CreateAsset } from "../assets/schemas.ts";

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
    startTime: seconds.min(0).optional().openapi({ description: "Seconds into the file where the media item starts" }),
    endTime: seconds.positive().optional().openapi({ description: "Seconds into the file where the media item ends" }),
    inputs: z
      .array(UploadedInput)
      .max(1)
      .optional()
      .openapi({ description: "At most one `video` input, without a URL" }),
  })
  .refine(({ startTime = 0, endTime }) => endTime === undefined || endTime > startTime, {
    path: ["endTime"],
    ...hinted("is invalid", "must be greater than `startTime`"),
  })
  .openapi("PushMediaSettings");
export type UploadSettings = z.infer<typeof UploadSettings>;

/** As stored: with the key systems of the DRM configuration, absent without DRM, and `Upload-Metadata` as a tus client sent it. */
export type StoredSettings = UploadSettings & { keySystems?: KeySystem[]; tusMetadata?: string };
