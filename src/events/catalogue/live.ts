import { z } from "@hono/zod-openapi";
import { kindsOf } from "./kind.ts";
import { HexId, MetadataRecord, Timestamp } from "../../records/fields.ts";
import { Media, PlaybackPolicy, readyMedia } from "./records.ts";
import { INGEST_WARNINGS, IngestWarningRecord } from "../../records/ingest-warning.ts";
import { PlaybackIdRecord } from "../../records/playback-id.ts";
import { SAMPLE, SAMPLE_CREATED_AT } from "./samples.ts";

const SimulcastTarget = z.strictObject({
  simulcastId: HexId,
  url: z.string(),
  streamKey: z.string(),
  isEnabled: z.boolean(),
  metadata: MetadataRecord.optional(),
});
const sampleTarget = (): z.output<typeof SimulcastTarget> => ({
  simulcastId: SAMPLE.simulcastId,
  url: "rtmps://ingest.example.com:443/live",
  streamKey: "made-up-key-of-the-other-platform",
  isEnabled: true,
});

/** The stream as the API returns it, with every field of its record. */
export const EventStream = z
  .strictObject({
    streamId: HexId,
    streamKey: z.string(),
    srtSecret: z.string(),
    trial: z.boolean(),
    status: z.enum(["idle", "preparing", "active", "disabled"]),
    audioOnly: z.boolean(),
    maxResolution: z.enum(["1080p", "720p", "480p"]),
    enableRecording: z.boolean(),
    mediaPolicy: z.enum(["public", "private"]),
    metadata: MetadataRecord,
    createdAt: Timestamp,
    reconnectWindow: z.int().openapi({ description: "Seconds for which a lost encoder may come back" }),
    maxDuration: z.int().openapi({ description: "Seconds; 0 = unbounded" }),
    latencyMode: z.enum(["low", "standard"]),
    lowLatency: z.boolean(),
    closedCaptions: z.boolean(),
    enableDvrMode: z.boolean(),
    allowViewerClips: z.boolean(),
    playbackIds: z.array(
      PlaybackPolicy.extend({
        accessRestrictions: PlaybackIdRecord.shape.accessRestrictions.optional(),
        resolution: PlaybackIdRecord.shape.resolution,
      }),
    ),
    simulcastResponses: z.array(SimulcastTarget),
    mediaIds: z.array(z.uuid()).openapi({ description: "Recordings" }),
    ingestWarnings: z.array(IngestWarningRecord).openapi(INGEST_WARNINGS),
    droppedRungs: z.array(z.string()).optional().openapi({
      description: "In `updated` while on air: renditions that are not made any more, as the encoder cannot keep up",
    }),
  })
  .openapi("EventStream");
const sampleStream = (status: z.output<typeof EventStream>["status"]): z.output<typeof EventStream> => ({
  streamId: SAMPLE.streamId,
  streamKey: `5be2071fa98c4d36b07e1fd52c94a680k${SAMPLE.streamId}`,
  srtSecret: `90c7d3e61b5f4a82ae04f8c16d2b7359k${SAMPLE.streamId}`,
  trial: false,
  status,
  audioOnly: false,
  maxResolution: "1080p",
  enableRecording: true,
  mediaPolicy: "public",
  metadata: { show: "harbour" },
  createdAt: SAMPLE_CREATED_AT,
  reconnectWindow: 60,
  maxDuration: 28_800,
  latencyMode: "low",
  lowLatency: true,
  closedCaptions: false,
  enableDvrMode: false,
  allowViewerClips: false,
  playbackIds: [{ id: SAMPLE.playbackId, accessPolicy: "public" }],
  simulcastResponses: [],
  mediaIds: [],
  ingestWarnings: [],
});

const inLive = kindsOf("live", "live");
const live = (
  status: string,
  when: string,
  streamStatus: z.output<typeof EventStream>["status"],
  more: { videoType?: string } = {},
) => inLive({ isSent: true, ...more, status, when, data: EventStream, example: sampleStream(streamStatus) });

const target = (status: string, when: string) =>
  inLive({
    isSent: true,
    status,
    when,
    data: z.strictObject({ ...SimulcastTarget.shape, streamId: HexId }),
    example: { ...sampleTarget(), streamId: SAMPLE.streamId },
  });

export const liveKinds = {
  "video.live_stream.created": live("created", "A live stream was created.", "idle"),
  "video.live_stream.preparing": live("preparing", "A stream prepares for a broadcast.", "preparing"),
  "live_stream.connected": live(
    "connected",
    "A broadcaster's encoder has connected; there is nothing to watch yet.",
    "preparing",
    { videoType: "video.live_stream.connected" },
  ),
  "video.live_stream.recording": live("recording", "The recording of a broadcast has begun.", "preparing"),
  "video.live_stream.active": live("active", "A broadcast can be watched.", "active"),
  "live_stream.disconnected": live(
    "disconnected",
    "The encoder has disconnected; it may reconnect within the reconnect window.",
    "active",
    { videoType: "video.live_stream.disconnected" },
  ),
  "video.live_stream.idle": live("idle", "A broadcast has ended for good.", "idle"),
  "video.live_stream.updated": live(
    "updated",
    "Settings of a stream were changed, its encoder has dropped renditions, or something else was found wrong with the broadcast.",
    "idle",
  ),
  "video.live_stream.disabled": live("disabled", "A stream was disabled and refuses broadcasters.", "disabled"),
  "video.live_stream.deleted": live("deleted", "A stream was deleted.", "idle"),
  "video.live_stream.srt_detected": live(
    "preparing",
    "The broadcast arrives over SRT; sent once for each broadcast.",
    "preparing",
  ),
  "video.live_stream.rtmps_detected": live(
    "preparing",
    "The broadcast arrives over RTMPS; sent once for each broadcast.",
    "preparing",
  ),
  "video.live_stream.simulcast_target.created": target("created", "A simulcast target was added to a stream."),
  "video.live_stream.simulcast_target.starting": target(
    "starting",
    "The connection to a simulcast target is being made.",
  ),
  "video.live_stream.simulcast_target.broadcasting": target(
    "broadcasting",
    "A simulcast target receives the broadcast.",
  ),
  "video.live_stream.simulcast_target.updated": target("updated", "A simulcast target was changed."),
  "video.live_stream.simulcast_target.deleted": target("deleted", "A simulcast target was removed."),
  /** Published receivers handle a recording like any other media, so it has the same `video` name. */
  "live_stream.recording.ready": kindsOf(
    "live",
    "media",
  )({
    isSent: true,
    videoType: "video.media.ready",
    status: "ready",
    when: "The recording of a broadcast is playable on demand; `data.streamId` is the stream.",
    data: z.strictObject({ ...Media.shape, streamId: HexId }),
    example: { ...readyMedia(), streamId: SAMPLE.streamId },
  }),
};
