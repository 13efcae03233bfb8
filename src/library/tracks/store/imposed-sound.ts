import { z } from "@hono/zod-openapi";
import type { ImposedSound } from "../../../../protocol/jobs.ts";

/** The longest media, s. */
const MAX_SECONDS = 43_200;

const seconds = (description: string) => z.int().min(0).max(MAX_SECONDS).openapi({ description, example: 2 });

/** Sound that is mixed into that of `swapTrackUrl` (media contract, inputs). The contract names its times in whole seconds. */
export const ImposeTrack = z
  .object({
    url: z.string().min(1).openapi({
      description: "Sound in any format that a source may have; as the URL of a video",
      example: "https://example.com/jingle.mp3",
    }),
    startTime: seconds("When it begins in the media, s").default(0),
    endTime: seconds("When it ends in the media, s. Default: where it ends by itself").min(1).optional(),
    fadeInLevel: seconds("How long it fades in, s").default(0),
    fadeOutLevel: seconds("How long it fades out, s").default(0),
  })
  .openapi("ImposeTrack");
type ImposeTrack = z.infer<typeof ImposeTrack>;

/** One sound that is mixed into a track: its file, and where it is heard. */
export interface ImposedFile extends ImposedSound {
  url: string;
}

/** @param url checked */
export const toImposedFile = (track: ImposeTrack, url: string): ImposedFile => ({
  url,
  startMs: track.startTime * 1000,
  endMs: track.endTime === undefined ? null : track.endTime * 1000,
  fadeInMs: track.fadeInLevel * 1000,
  fadeOutMs: track.fadeOutLevel * 1000,
});
