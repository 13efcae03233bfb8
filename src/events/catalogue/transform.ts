import { z } from "@hono/zod-openapi";
import { kindsOf } from "./kind.ts";
import { Media, readyMedia, samplePlaybackId } from "./records.ts";
import { SAMPLE } from "./samples.ts";

const transform = kindsOf("transform", "media");
const { id, sourceAccess, playbackIds } = Media.shape;

/** The fields of the media record that a transformation may change. */
const Transformed = z.strictObject({
  thumbnail: z.url().optional(),
  ...Media.pick({
    id: true,
    workspaceId: true,
    metadata: true,
    maxResolution: true,
    sourceResolution: true,
    playbackIds: true,
    tracks: true,
  }).shape,
});
const sampleTransformed = (): z.output<typeof Transformed> => {
  const { id, workspaceId, metadata, maxResolution, sourceResolution, playbackIds, tracks } = readyMedia();
  const thumbnail = `https://images.example.com/${SAMPLE.playbackId}/thumbnail.png`;
  return { thumbnail, id, workspaceId, metadata, maxResolution, sourceResolution, playbackIds, tracks };
};
const transformed = (when: string, more: { isSent?: boolean } = {}) =>
  transform({ status: "ready", when, data: Transformed, example: sampleTransformed(), ...more });

/** Lengths are strings as in the request: `25%` or `40px`. */
const Watermark = z.strictObject({
  id: z.uuid(),
  url: z.url(),
  placement: z.strictObject({
    xAlign: z.enum(["left", "center", "right"]),
    xMargin: z.string(),
    yAlign: z.enum(["top", "middle", "bottom"]),
    yMargin: z.string(),
  }),
  width: z.string().optional(),
  height: z.string().optional(),
  opacity: z.string().optional(),
});

const SourceAccess = z.strictObject({ id, sourceAccess });

export const transformKinds = {
  "video.media.intro.ready": transformed("The intro was put before the media.", { isSent: true }),
  "video.media.outro.ready": transformed("The outro was put behind the media.", { isSent: true }),
  "video.media.expunge.ready": transformed("The unwanted ranges were cut out of the media.", { isSent: true }),
  "video.media.splice.ready": transformed("The other clips were put into the media.", { isSent: true }),
  "video.media.impose_track.ready": transformed("The additional sound was mixed into the media.", { isSent: true }),
  "video.media.audio_swap.ready": transformed("The sound of the media was replaced.", { isSent: true }),
  "video.media.optimize_audio.ready": transformed("The loudness of the media was levelled.", { isSent: true }),
  "video.media.watermark.ready": transform({
    isSent: true,
    status: "ready",
    when: "A watermark was added to the media; `data.id` is the watermark, not the media.",
    data: Watermark,
    example: {
      id: SAMPLE.watermarkId,
      url: "https://example.com/logo.png",
      placement: { xAlign: "right", xMargin: "40px", yAlign: "bottom", yMargin: "40px" },
      width: "12%",
      opacity: "80%",
    },
  }),
  "video.media.mp4Support.ready": transform({
    status: "ready",
    isSent: true,
    when: "The files for download are available; with `none`, no longer.",
    data: z.strictObject({
      id,
      mp4Support: z.enum(["none", "capped_4k", "audioOnly", "audioOnly,capped_4k"]),
      playbackIds,
    }),
    example: { id: SAMPLE.mediaId, mp4Support: "capped_4k", playbackIds: [samplePlaybackId()] },
  }),
  "video.media.source.ready": transform({
    status: "ready",
    isSent: true,
    when: "The original file can be downloaded.",
    data: SourceAccess,
    example: { id: SAMPLE.mediaId, sourceAccess: true },
  }),
  "video.media.source.deleted": transform({
    status: "deleted",
    isSent: true,
    when: "The original file can no longer be downloaded.",
    data: SourceAccess,
    example: { id: SAMPLE.mediaId, sourceAccess: false },
  }),
};
