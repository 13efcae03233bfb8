import { z } from "@hono/zod-openapi";
import { MetadataRecord } from "./fields.ts";
import { MediaRecord } from "./media.ts";
import { PlaybackIdRecord } from "./playback-id.ts";

const { id, ...policy } = PlaybackIdRecord.shape;

/** The settings of the request, which become the media's. Until the media exists, its playback IDs may lack an id. */
export const PushMediaSettings = z.strictObject({
  playbackIds: z.array(z.strictObject({ id: id.optional(), ...policy })),
  title: z.string().optional(),
  creatorId: z.string().optional(),
  metadata: MetadataRecord,
  mediaQuality: MediaRecord.shape.mediaQuality,
  maxResolution: MediaRecord.shape.maxResolution.optional(),
  sourceAccess: z.boolean(),
  optimizeAudio: z.boolean(),
});
