import { z } from "@hono/zod-openapi";
import { changedElsewhere } from "../../platform/http/hints/changed-elsewhere.ts";
import { later } from "../../platform/http/hints/later.ts";
import { line, Metadata, pattern } from "../../platform/http/fields.ts";
import { AccessRestrictionFields, PlaybackResolution } from "../../tenancy/access/index.ts";
import { MetadataRecord } from "../../records/fields.ts";
import { INGEST_WARNINGS, IngestWarningRecord } from "../../records/ingest-warning.ts";
import { LivePlaybackIdRecord } from "../../records/playback-id.ts";

const LATENCY_MODES = ["low", "standard"] as const;

const Policy = z.enum(["public", "private"]);
const POLICY = { description: "`private`: only with a token of a signing key" };
const policy = () => Policy.default("public").openapi(POLICY);
const reconnectWindow = () =>
  z.int().min(60).max(1800).openapi({ description: "Seconds for which a lost encoder may come back" });
const allowViewerClips = () =>
  z.boolean().openapi({
    description:
      "A clip window (`?start=…&end=…`) that a viewer requests also becomes a media; without this it only plays",
  });
const HexId = pattern(/^[0-9a-f]{32}$/, "32 lower-case hexadecimal digits");

export const InputMediaSettings = z.object({
  maxResolution: z.enum(["1080p", "720p", "480p"]).default("1080p"),
  reconnectWindow: reconnectWindow().default(60),
  mediaPolicy: policy().openapi({ description: "Access to recordings" }),
  metadata: Metadata.optional(),
  enableDvrMode: z.boolean().default(false).openapi({ description: "Viewers may go back to the first segment" }),
  enableRecording: z.boolean().default(true).openapi({ description: "A broadcast becomes a media" }),
  allowViewerClips: allowViewerClips().default(false),
  latencyMode: z
    .enum(LATENCY_MODES)
    .default("low")
    .openapi({ description: "`low`: LL-HLS; `standard`: longer segments and fewer requests" }),
  maxDuration: z
    .int()
    .min(0)
    .max(28_800)
    .default(0)
    .openapi({ description: "Maximum duration of a broadcast, in seconds; 0 = unlimited" }),
  drmConfigurationId: z
    .uuid()
    .nullish()
    .openapi({ description: "Encrypts the stream, its recordings and clips; both policies must be `private`" }),
  closedCaptions: later(),
});

export const CreateStream = z
  .object({
    playbackSettings: z.object({ accessPolicy: policy() }).prefault({}),
    inputMediaSettings: InputMediaSettings.prefault({}),
  })
  .openapi("CreateStream", { description: "Every field has a default: `{}` creates a stream" });
export type CreateStream = z.infer<typeof CreateStream>;

const AT_CREATION = "it is fixed when the stream is created";
export const UpdateStream = changedElsewhere(
  z
    .object({
      metadata: Metadata.optional(),
      reconnectWindow: reconnectWindow().optional(),
      allowViewerClips: allowViewerClips().optional(),
    })
    .openapi("UpdateStream", { description: "`metadata` is replaced as a whole" }),
  {
    maxResolution: AT_CREATION,
    maxDuration: AT_CREATION,
    mediaPolicy: AT_CREATION,
    enableDvrMode: AT_CREATION,
    enableRecording: AT_CREATION,
    latencyMode: AT_CREATION,
    lowLatency: AT_CREATION,
    closedCaptions: "generated captions are not available yet; those in the picture of a broadcast need no setting",
    drmConfigurationId: AT_CREATION,
    accessPolicy: "each playback ID has its own: create one with POST /v1/live/streams/{streamId}/playback-ids",
  },
);
export type UpdateStream = z.infer<typeof UpdateStream>;

/** The stream's record in answers and events. */
export const StreamRecordSchema = z.object({
  streamId: HexId,
  streamKey: z.string(),
  srtSecret: z.string(),
  trial: z.boolean(),
  status: z.enum(["idle", "preparing", "active", "disabled"]),
  maxResolution: z.enum(["1080p", "720p", "480p"]),
  maxDuration: z.int().openapi({ description: "Seconds; 0 = unbounded" }),
  createdAt: z.string(),
  reconnectWindow: z.int(),
  enableRecording: z.boolean(),
  enableDvrMode: z.boolean(),
  allowViewerClips: z.boolean(),
  mediaPolicy: z.enum(["public", "private"]),
  metadata: MetadataRecord,
  latencyMode: z.enum(LATENCY_MODES),
  lowLatency: z.boolean().openapi({ description: "Whether `latencyMode` is `low`" }),
  closedCaptions: z.boolean(),
  playbackIds: z.array(LivePlaybackIdRecord),
  ingestWarnings: z.array(IngestWarningRecord).openapi(INGEST_WARNINGS),
});

export const StreamAnswer = StreamRecordSchema.extend({
  ingest: z
    .object({
      rtmp: z.string().optional(),
      rtmps: z.string().optional(),
      srt: z.string().optional(),
      http: z.string(),
    })
    .openapi({
      description: "Whole addresses for encoders; a protocol that this deployment does not take is left out",
    }),
}).openapi("Stream");

export const TargetRecord = z
  .object({
    simulcastId: HexId,
    url: z.string(),
    streamKey: z.string(),
    isEnabled: z.boolean(),
    metadata: MetadataRecord.optional(),
    state: z.enum(["idle", "starting", "broadcasting", "failed"]).openapi({
      description:
        "`broadcasting`: the target receives the broadcast; `failed`: the last attempt failed, and another one follows while the broadcast is on air, except after `malformed_url` and `unsupported`; `idle`: nothing is sent",
    }),
    failure: z
      .object({
        reason: z.string().openapi({
          description:
            "`malformed_url`, `forbidden_address`, `unreachable`, `refused`, `timeout`, `lost`, `unsupported`, `overloaded` or `crashed`",
          example: "unreachable",
        }),
        detail: z.string().openapi({ description: "For people; may be empty", example: "ECONNREFUSED" }),
        at: z.string(),
      })
      .optional()
      .openapi({ description: "Of `failed`; kept after the broadcast until the next one begins" }),
  })
  .openapi("SimulcastTarget");

export const StreamDetail = StreamAnswer.extend({
  simulcastResponses: z.array(TargetRecord),
  mediaIds: z.array(z.uuid()).openapi({ description: "Recordings" }),
}).openapi("StreamDetail");

/** Without a default here, so that an absent policy can be told from `public`. */
export const CreateLivePlaybackId = z
  .object({
    accessPolicy: z
      .enum(["public", "private", "drm"])
      .optional()
      .openapi({
        description: `${POLICY.description}; \`drm\`: the same, of a stream with a DRM configuration`,
        default: "public",
      }),
    accessRestrictions: AccessRestrictionFields.optional(),
    resolution: PlaybackResolution.nullish(),
  })
  .openapi("CreateLivePlaybackId");
export type CreateLivePlaybackId = z.infer<typeof CreateLivePlaybackId>;

export const CreateTarget = z
  .object({
    url: z.string().min(1).openapi({
      description:
        "rtmp or rtmps, with the application and without the key, at most 2,048 characters. Without an application nothing is pushed, and the target's state says so on air",
      example: "rtmps://ingest.example.com:443/live",
    }),
    streamKey: line(1024).min(1),
    isEnabled: z.boolean().default(true).openapi({ description: "`false`: it gets no broadcast until it is enabled" }),
    metadata: Metadata.optional(),
  })
  .openapi("CreateSimulcastTarget");

export const UpdateTarget = z
  .object({ isEnabled: z.boolean().optional(), metadata: Metadata.optional() })
  .openapi("UpdateSimulcastTarget");
