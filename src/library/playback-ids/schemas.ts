import { z } from "@hono/zod-openapi";
import { PlaybackIdRecord } from "../../records/playback-id.ts";
import {
  AccessRestrictionFields,
  DrmConfigurationId,
  MediaPolicy,
  PlaybackResolution,
} from "../../tenancy/access/index.ts";

export const CreatePlaybackId = z
  .object({
    accessPolicy: MediaPolicy,
    accessRestrictions: AccessRestrictionFields.optional(),
    resolution: PlaybackResolution.nullish(),
    drmConfigurationId: DrmConfigurationId,
  })
  .openapi("CreatePlaybackId");
export type CreatePlaybackId = z.infer<typeof CreatePlaybackId>;

/** The answer to a creation has `resolution` in any case (media contract, access rules). */
export const CreatedPlaybackId = PlaybackIdRecord.extend({ resolution: PlaybackResolution.nullable() }).openapi(
  "CreatedPlaybackId",
);
