/**
 * What is read of Cloudflare Stream's answers. From https://developers.cloudflare.com/api/resources/stream and the types of its client
 * `cloudflare` 7.3.0, read in November 2026. Fields without which a video cannot be known are required; the rest is taken if it is there.
 */
import { z } from "@hono/zod-openapi";

const text = z.string().nullish().catch(null);
const number = z.number().nullish().catch(null);

export const Video = z.looseObject({
  uid: z.string().min(1),
  /** RFC 3339, with up to six digits of a second. */
  created: z.string().refine((created) => !Number.isNaN(Date.parse(created))),
  /** Without it nobody knows whether the video is private. */
  requireSignedURLs: z.boolean(),
  /** pendingupload, downloading, queued, inprogress, ready, error, live-inprogress. */
  status: z.looseObject({ state: z.string(), errorReasonText: text }),
  /** Names and values that the owner gave it; `name` is its title. */
  meta: z.record(z.string(), z.unknown()).nullish().catch(null),
  creator: text,
  /** Seconds; -1 = unknown. */
  duration: number,
  input: z.looseObject({ width: number, height: number }).nullish().catch(null),
  playback: z.looseObject({ hls: text }).nullish().catch(null),
  publicDetails: z.looseObject({ title: text, share_link: text, channel_link: text, logo: text }).nullish().catch(null),
  /** Empty or absent = every page may show it. Of another kind, nobody knows which ones may. */
  allowedOrigins: z.array(z.string()).nullish(),
  scheduledDeletion: text,
  thumbnailTimestampPct: number,
  watermark: z.looseObject({ uid: text }).nullish().catch(null),
  clippedFrom: text,
});
export type Video = z.infer<typeof Video>;

export const VideoAnswer = z.looseObject({ result: Video });
export const VideosAnswer = z.looseObject({ result: z.array(Video) });

/** By kind: `default` is the MP4, `audio` the M4A; absent = it was never ordered. */
export const DownloadsAnswer = z.looseObject({
  result: z.looseObject({ default: z.looseObject({ status: z.string(), url: text }).nullish() }).nullish(),
});
export const TokenAnswer = z.looseObject({ result: z.looseObject({ token: z.string().min(1) }) });
export const VerifyAnswer = z.looseObject({ result: z.looseObject({ status: z.string() }) });

export const CaptionsAnswer = z.looseObject({
  /** A status is there for generated ones: ready, inprogress or error. */
  result: z.array(z.looseObject({ language: z.string().min(1), label: text, status: text })).nullish(),
});

const Audio = z.looseObject({ label: text });
/** The client's types have the tracks below `audio`, the documents' examples have them at once. The sound of the upload is not among them. */
export const AudioAnswer = z.looseObject({
  result: z.union([z.array(Audio), z.looseObject({ audio: z.array(Audio) })]).nullish(),
});

export const RefusalAnswer = z.looseObject({
  errors: z.array(
    z.looseObject({
      code: z.number(),
      error_chain: z
        .array(z.looseObject({ code: z.number() }))
        .nullish()
        .catch(null),
    }),
  ),
});
