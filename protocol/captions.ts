/** Subtitles of a source: the job that reads them, and the files that it stores. */
import { z } from "zod";
import { JobBase, MontageFile } from "./job-base.ts";
import { MAX_SUBTITLE_STREAMS, SourceSubtitles } from "./source-facts.ts";

/** Every cue of the source's subtitles, in one pass over the file. */
export const CaptionsJob = JobBase.extend({
  kind: z.literal("captions"),
  /** A further file of a montage. Absent = the source. */
  file: MontageFile.optional(),
  streams: z.array(SourceSubtitles).min(1).max(MAX_SUBTITLE_STREAMS),
});
export type CaptionsJob = z.infer<typeof CaptionsJob>;

/** The cues of one subtitle stream, as a captions job stores them. JSON of at most `MAX_CAPTIONS_FILE_BYTES`. */
export const CaptionsFile = z.object({
  /**
   * [start in ms, end in ms, payload in the codec's own markup, settings of WebVTT] in the order of the file. mov_text and a ChannelCodec:
   * markup of WebVTT.
   */
  cues: z.array(z.tuple([z.number(), z.number(), z.string(), z.string()])),
});
export type CaptionsFile = z.infer<typeof CaptionsFile>;
export const MAX_CAPTIONS_FILE_BYTES = 10 << 20;
export const CAPTIONS_FILE = "captions.json";
/** `file` as that of the job. */
export const captionsRendition = ({
  streamIndex,
  channel,
  file,
}: Pick<SourceSubtitles, "streamIndex" | "channel"> & { file?: number | undefined }) =>
  ["text", ...(file === undefined ? [] : [`f${file}`]), streamIndex, ...(channel === undefined ? [] : [channel])]
    .join("-")
    .toLowerCase();

export const CaptionsResult = z.object({
  kind: z.literal("captions"),
  /** Channels that are empty, or repeat what another one says, are absent. */
  streams: z.array(
    z.object({
      streamIndex: z.int().min(0),
      channel: SourceSubtitles.shape.channel,
      cueCount: z.int().min(0), // 0 = no file is stored
      skippedCues: z.int().min(0), // without duration or outside the clip
      isTooLarge: z.boolean(), // exceeds the bounds of a track: no file is stored
    }),
  ),
});
export type CaptionsResult = z.infer<typeof CaptionsResult>;
