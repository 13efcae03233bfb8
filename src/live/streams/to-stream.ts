import type { z } from "@hono/zod-openapi";
import { toTimestamp } from "../../platform/timestamp.ts";
import type { PlaybackId } from "../../tenancy/access/index.ts";
import type { LiveStream, SimulcastTarget, StreamRecord } from "./repository.ts";
import type { LivePlaybackIdRecord } from "../../records/playback-id.ts";
import type { StreamRecordSchema, TargetRecord } from "./schemas.ts";

/** The API shows a stream in its reconnect window as active. */
const toStatus = ({ status }: Pick<LiveStream, "status">) => (status === "disconnected" ? "active" : status);

/**
 * The contract's policies of streams are `public` and `private`. A stream with DRM needs a token, as a private one. The contract has no rules
 * here, so that those of an ID without any are absent.
 */
export const toPlaybackId = ({
  id,
  accessPolicy,
  accessRestrictions,
  resolution,
}: PlaybackId): z.infer<typeof LivePlaybackIdRecord> => ({
  id,
  accessPolicy: accessPolicy === "drm" ? "private" : accessPolicy,
  ...(accessRestrictions === null ? {} : { accessRestrictions }),
  ...(resolution === null ? {} : { resolution }),
});

/** The target as the contract and events have it. */
export const toTarget = (target: SimulcastTarget) => ({
  simulcastId: target.id,
  url: target.url,
  streamKey: target.streamKey,
  isEnabled: target.isEnabled,
  ...(target.metadata === null ? {} : { metadata: target.metadata }),
});

/** The target as the API answers it: also whether it gets the broadcast, and why not. */
export function toTargetRecord(
  target: SimulcastTarget,
  stream: Pick<LiveStream, "status">,
): z.infer<typeof TargetRecord> {
  const { state, failure, at } = target.report ?? { state: "ended", at: 0 };
  const isOnAir = stream.status !== "idle" && stream.status !== "disabled";
  if (!target.isEnabled || state === "ended") return { ...toTarget(target), state: "idle" };
  if (state === "failed") {
    const { reason = "crashed", detail = "" } = failure ?? {};
    return { ...toTarget(target), state, failure: { reason, detail, at: toTimestamp(new Date(at)) } };
  }
  // A gateway that died has reported no end.
  return { ...toTarget(target), state: isOnAir ? state : "idle" };
}

/**
 * The stream's record in answers and events (media contract, live streams), without `srtPlaybackResponse`, which is unset: streams do not play over
 * SRT.
 */
export function toStream({
  stream,
  playbackIds,
}: Pick<StreamRecord, "stream" | "playbackIds">): z.infer<typeof StreamRecordSchema> {
  return {
    streamId: stream.id,
    streamKey: stream.streamKey,
    srtSecret: stream.srtSecret,
    trial: false,
    status: toStatus(stream),
    maxResolution: stream.maxResolution,
    maxDuration: stream.maxDurationS,
    createdAt: toTimestamp(stream.createdAt),
    reconnectWindow: stream.reconnectWindowS,
    enableRecording: stream.enableRecording,
    enableDvrMode: stream.enableDvrMode,
    allowViewerClips: stream.allowViewerClips,
    mediaPolicy: stream.mediaPolicy,
    metadata: stream.metadata,
    latencyMode: stream.latencyMode,
    lowLatency: stream.latencyMode === "low",
    closedCaptions: false,
    playbackIds: playbackIds.map(toPlaybackId),
    ingestWarnings: stream.ingestWarnings.map(({ code, message, since, count }) => ({
      code,
      message,
      since: toTimestamp(new Date(since)),
      count,
    })),
  };
}
