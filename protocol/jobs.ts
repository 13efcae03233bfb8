/**
 * Protocol between Worker and encoder. Both sides import it, so it and its parts beside it depend only on zod. Times are milliseconds unless the name says
 * otherwise; time 0 is the start of the presentation.
 *
 * Routes of the encoder (every request carries `Authorization: Bearer {ENCODER_SECRET}`):
 *   POST   /jobs            Job → 202; 200 when the same (jobId, attempt) is already queued or running; 429 when full; 422 bad body
 *   GET    /jobs/{jobId}    JobStatus | 404
 *   DELETE /jobs/{jobId}    204, also when unknown; stops the child and all callbacks of the job
 *   GET    /health          EncoderHealth
 *
 * Callbacks to the Worker, below `job.callbackUrl`, with `Authorization: Bearer {job.token}`:
 *   GET|HEAD {callbackUrl}/source                    the source file; supports Range
 *   GET|HEAD {callbackUrl}/files/{number}            the same for a further file of a montage, and for a watermark; file 0 is the source
 *   GET|HEAD {callbackUrl}/imposed/{position}        the same for a sound that is mixed into it
 *   GET|HEAD {callbackUrl}/sound                     the media's own sound, of a speech job; supports Range
 *   GET|HEAD {callbackUrl}/piece                     one piece of it, of a transcribe job
 *   GET|HEAD {callbackUrl}/video                     the media's own smallest video, of a pictures job; supports Range
 *   GET      {callbackUrl}/cuts                      SoundCuts, of an audio job with `hasCuts`
 *   PUT      {callbackUrl}/objects/{rendition}/{file} one init or segment, 204; `file` is `init.mp4` or `{number}.m4s`; of an audio job
 *                                                    with `hasCuts` `init-0.mp4` instead of `init.mp4`. Of a captions
 *                                                    job: a CaptionsFile, named by `captionsRendition` and `CAPTIONS_FILE`. Of a speech
 *                                                    job: `{number}.flac`. Of a pictures job: `{number}.jpg`
 *   POST     {callbackUrl}/heartbeat                 Heartbeat → HeartbeatAnswer; renews the lease
 *   POST     {callbackUrl}/complete                  JobResult → 200
 *   POST     {callbackUrl}/fail                      JobFailure → 200
 * 409 on a PUT: an earlier attempt's object with other bytes has been announced under that name and stays; the job continues.
 * 401 or 403: the token is invalid or expired. 410: the job is cancelled, done, or reassigned as a later attempt. The encoder then stops
 * the job. Connections refused, 408, 429 and 5xx are retried with back-off until the token's `expiresAt`, which heartbeats extend. On any other
 * answer the job fails.
 *
 * Worker and encoders are replaced one after another, so for some minutes they are of two releases, in both combinations. A new field is
 * optional, and its absence means what was done before; a field that one side still sends or requires is not removed. Unknown fields are ignored.
 */
import { z } from "zod";
import { CaptionsJob, CaptionsResult } from "./captions.ts";
import { ClipRange, JobBase, MAX_MONTAGE_FILES, MontageFile } from "./job-base.ts";
import { PicturesJob, PicturesResult } from "./pictures.ts";
import { Fraction, SourceAudio, SourceFacts, SourceVideo } from "./source-facts.ts";
import { SpeechJob, SpeechResult, TranscribeJob, TranscribeResult } from "./speech.ts";

export { ClipRange } from "./job-base.ts";

/** Frame counts of GOPs and segments; a segment is a whole number of GOPs. */
export const FrameGrid = z.object({
  frameRate: Fraction,
  framesPerGop: z.int().positive(),
  framesPerSegment: z.int().positive(),
});
export type FrameGrid = z.infer<typeof FrameGrid>;

/** One encoded quality of the picture. H.264 High, 4:2:0, 8 bit; capped CRF. */
export const VideoRung = z.object({
  name: z.string().regex(/^[a-z0-9-]+$/), // the rendition's name: "v1080"
  widthPx: z.int().positive(), // even
  heightPx: z.int().positive(), // even
  crf: z.number(),
  maxBitrateBps: z.int().positive(), // VBV buffer: 2 s at this rate
  preset: z.string(),
});
export type VideoRung = z.infer<typeof VideoRung>;

/** Ranges of the files of a montage. */
export const MAX_TAKES = 200;

/** One range of one file of a montage. Takes follow each other without a gap. */
const Take = z.object({
  file: z
    .int()
    .min(0)
    .max(MAX_MONTAGE_FILES - 1),
  clip: ClipRange,
});
export const PictureTake = Take.extend({ frameCount: z.int().positive() }); // of the output
export type PictureTake = z.infer<typeof PictureTake>;
export const SoundTake = Take.extend({ durationMs: z.number().positive() });
export type SoundTake = z.infer<typeof SoundTake>;

/** Along the width or the height of the picture: percent of it, or pixels of the media's displayed size. */
export const MarkLength = z.object({ value: z.number().min(0), unit: z.enum(["percent", "px"]) });
export type MarkLength = z.infer<typeof MarkLength>;

/** The largest watermarks. */
export const MAX_MARK_BYTES = 10 << 20;
export const MAX_MARK_PIXELS = 16 << 20;

/** An image that is burnt into every picture. */
export const Watermark = z.object({
  /** Its file, numbered like those of a montage. */
  file: z.int().min(1),
  xAlign: z.enum(["left", "center", "right"]),
  xMargin: MarkLength,
  yAlign: z.enum(["top", "middle", "bottom"]),
  yMargin: MarkLength,
  width: MarkLength.nullable(), // null = as the other side or the image says
  height: MarkLength.nullable(),
  opacity: z.number().min(0).max(1),
});
export type Watermark = z.infer<typeof Watermark>;

/** Heartbeats per lease, to tolerate lost ones, and the shortest time between two. */
export const HEARTBEATS_PER_LEASE = 5;
export const MIN_HEARTBEAT_MS = 500;

export const ProbeJob = JobBase.extend({
  kind: z.literal("probe"),
  /** A further file of a montage. Absent = the source. */
  file: MontageFile.optional(),
});

/** One time range of the picture for every rung: one decode, N encodes. */
export const VideoJob = JobBase.extend({
  kind: z.literal("video"),
  video: SourceVideo,
  grid: FrameGrid,
  firstFrame: z.int().min(0), // a multiple of framesPerSegment, except for the edges of a clip; output frame n shows presentation time n / frameRate
  frameCount: z.int().positive(),
  firstSegment: z.int().min(0), // number of the segment that starts at firstFrame
  rungs: z.array(VideoRung).min(1),
  /** Repeat the last picture up to `frameCount`, because the sound is longer than the picture. Ignored for a truncated source. */
  holdsLastPicture: z.boolean().optional(),
  /** Absent = none. */
  watermark: Watermark.optional(),
  /**
   * The picture is put together from several ranges: `video` then gives size, rate and dynamic range of the output, and `clip` counts for nothing.
   * Pictures of another shape get bars; a range that has fewer pictures than stated ends with its last one.
   */
  montage: z
    .object({
      /** By file; null = it has no picture, and black is shown. */
      pictures: z.array(SourceVideo.nullable()).max(MAX_MONTAGE_FILES),
      takes: z.array(PictureTake).min(1).max(MAX_TAKES),
      /**
       * The pictures of the first rung are those of the files. Every take is then a whole file, and all have the same parameters of the codec, constant
       * rate and size, and closed GOPs with key frames where the segments of the output begin. Absent = it is encoded like the others.
       */
      copiesTopRung: z.literal(true).optional(),
    })
    .optional(),
});

/** Sounds that are mixed into one audio job. */
export const MAX_IMPOSED_SOUNDS = 10;

/** Sound that is mixed into an audio job's own. Times are those of the output. */
export const ImposedSound = z.object({
  startMs: z.number().min(0),
  /** Null: where it ends by itself. */
  endMs: z.number().positive().nullable(),
  fadeInMs: z.number().min(0), // linear, from its start
  fadeOutMs: z.number().min(0), // linear, up to its end
});
export type ImposedSound = z.infer<typeof ImposedSound>;

/** The loudness to which sound is brought (EBU R128). */
export const LoudnessTarget = z.object({
  targetLufs: z.number(), // integrated
  maxTruePeakDb: z.number(), // dBTP
});
export type LoudnessTarget = z.infer<typeof LoudnessTarget>;

/** As EBU R128 measures a sound: -70 LUFS = silence. */
export const MeasuredLoudness = z.object({
  integratedLufs: z.number(),
  truePeakDb: z.number(), // dBTP
  rangeLu: z.number(), // EBU Tech 3342
});
export type MeasuredLoudness = z.infer<typeof MeasuredLoudness>;

/** One whole audio stream: AAC-LC, stereo (mono stays mono, unless something is mixed into it), cut at the grid's segment times. */
export const AudioJob = JobBase.extend({
  kind: z.literal("audio"),
  audio: SourceAudio,
  rendition: z.string().regex(/^[a-z0-9-]+$/),
  bitrateBps: z.int().positive(),
  segmentSeconds: Fraction, // nominal duration; cut at the nearest AAC frame
  /** Pad with silence or trim to this duration; null (no picture) = the duration of the audio. */
  durationMs: z.number().positive().nullable(),
  /** The file of each is at `{callbackUrl}/imposed/{position}`. Absent = none. */
  imposed: z.array(ImposedSound).max(MAX_IMPOSED_SOUNDS).optional(),
  /** The sound is put together from several ranges, in the format that `audio` leads to; `clip` counts for nothing. Joins are cross-faded. */
  montage: z
    .object({
      /** By file; null = it has no such sound, and is silent. */
      sounds: z.array(SourceAudio.nullable()).max(MAX_MONTAGE_FILES),
      takes: z.array(SoundTake).min(1).max(MAX_TAKES),
    })
    .optional(),
  /** The sound is measured first, and brought to this loudness by one gain; silence stays as it is. Absent = it is as loud as its source. */
  loudness: LoudnessTarget.optional(),
  /** Sound for the recording of a broadcast: cut and timed by the SoundCuts at `{callbackUrl}/cuts`, and as long as these. */
  hasCuts: z.literal(true).optional(),
});

/**
 * The segments and spans of a recording, on its timeline of HLS, which begins at 0. A recording has up to 120,000 segments, so they are not part
 * of the job.
 */
export const SoundCuts = z.object({
  /** Where each segment ends, in microseconds; ascending. */
  endsUs: z.array(z.int().positive()),
  /** Segments with continuous timestamps, up to the next span. The first one begins at segment 0. */
  spans: z.array(
    z.object({
      first: z.int().min(0), // its first segment
      mediaUs: z.int().min(0), // decode time of the picture at its start, microseconds
      isGap: z.boolean(), // the recording has no media here: no segments are stored
    }),
  ),
});
export type SoundCuts = z.infer<typeof SoundCuts>;

export const Job = z.discriminatedUnion("kind", [
  ProbeJob,
  VideoJob,
  AudioJob,
  CaptionsJob,
  SpeechJob,
  TranscribeJob,
  PicturesJob,
]);
export type Job = z.infer<typeof Job>;
export type ProbeJob = z.infer<typeof ProbeJob>;
export type VideoJob = z.infer<typeof VideoJob>;
export type AudioJob = z.infer<typeof AudioJob>;

/** The init segment of a rendition. All chunks of a rendition produce the same bytes, so the hashes must be equal. */
export const InitFacts = z.object({ bytes: z.int().positive(), sha256: z.string(), codec: z.string() }); // codec: RFC 6381
export type InitFacts = z.infer<typeof InitFacts>;
/**
 * One media segment. `keyframes` are the byte ranges [offset, length] for an I-frame playlist, one per GOP: from the start of a moof to the
 * end of the key frame at the start of its mdat. Empty for audio.
 */
export const SegmentFacts = z.object({
  durationTicks: z.int().positive(), // in the rendition's timescale
  bytes: z.int().positive(),
  keyframes: z.array(z.tuple([z.int(), z.int()])),
});
export type SegmentFacts = z.infer<typeof SegmentFacts>;
export const RenditionFacts = z.object({
  name: z.string(),
  timescale: z.int().positive(), // video: frameRate.num; audio: the sample rate
  init: InitFacts,
  segments: z.array(SegmentFacts),
});
export type RenditionFacts = z.infer<typeof RenditionFacts>;

export const ProbeResult = z.object({ kind: z.literal("probe"), facts: SourceFacts });
export const VideoResult = z.object({
  kind: z.literal("video"),
  renditions: z.array(RenditionFacts),
  frameCount: z.int().min(0), // frames actually encoded: fewer than requested when the source ends; 0 and no segments past its end
  /** Pictures have a place for closed captions. */
  hasCcData: z.literal(true).optional(),
  encodeMs: z.number(),
  cpuMs: z.number(),
});
export const AudioResult = z.object({
  kind: z.literal("audio"),
  rendition: RenditionFacts,
  /**
   * For a job with `hasCuts`: the size of each segment in bytes, 0 = a gap. `rendition` has no segments then, because their durations follow from the
   * cuts.
   */
  segmentBytes: z.array(z.int().min(0)).optional(),
  channels: z.int().positive(),
  /** For a job with `loudness`. */
  loudness: z.object({ source: MeasuredLoudness, gainDb: z.number(), result: MeasuredLoudness }).optional(),
  encodeMs: z.number(),
  cpuMs: z.number(),
});
export const JobResult = z.discriminatedUnion("kind", [
  ProbeResult,
  VideoResult,
  AudioResult,
  CaptionsResult,
  SpeechResult,
  TranscribeResult,
  PicturesResult,
]);
export type JobResult = z.infer<typeof JobResult>;
export type ProbeResult = z.infer<typeof ProbeResult>;
export type VideoResult = z.infer<typeof VideoResult>;
export type AudioResult = z.infer<typeof AudioResult>;

/** Failure codes of jobs. `source_*` codes are caused by the source; the others are internal and retried. */
export const JOB_FAILURE_CODES = {
  source_not_media: "source",
  source_empty: "source",
  source_no_streams: "source", // media without a decodable stream
  source_encrypted: "source", // Common Encryption, whose keys the encoder does not have
  source_too_long: "source", // > 12 h
  source_too_large_picture: "source", // > 8K: more than 7680×4320 pixels, or an edge over 8192
  source_exceeds_limits: "source", // exceeded the child's time or memory limit, or has an absurd structure
  source_damaged: "source", // decoding failed without usable output
  watermark_unusable: "source", // no PNG or JPEG, damaged, or too large
  speech_no_model: "service", // the encoder has no speech model
  encoder_crashed: "service",
  encoder_failed: "service",
  encoder_shutdown: "service", // SIGTERM; does not count as an attempt
} as const;
export type JobFailureCode = keyof typeof JOB_FAILURE_CODES;
export const JobFailure = z.object({
  code: z.enum(Object.keys(JOB_FAILURE_CODES) as [JobFailureCode, ...JobFailureCode[]]),
  message: z.string().max(1000), // shown to the owner of the source; no paths or tokens
});
export type JobFailure = z.infer<typeof JobFailure>;

/**
 * Stored segments of a rendition whose job is still running, so that a long audio job can play from its first seconds. Each heartbeat has
 * the segments since the last acknowledged one, so `firstIndex` is contiguous.
 */
export const PartialRendition = z.object({
  name: z.string(),
  timescale: z.int().positive(),
  init: InitFacts,
  channels: z.int().positive(),
  firstIndex: z.int().min(0),
  segments: z.array(SegmentFacts),
});
export type PartialRendition = z.infer<typeof PartialRendition>;

export const Heartbeat = z.object({
  attempt: z.int().min(1),
  state: z.enum(["queued", "running"]),
  progress: z.number().min(0).max(1),
  speed: z.number().min(0), // media seconds per wall-clock second, 0 = unknown
  partial: PartialRendition.optional(), // audio jobs only
});
export type Heartbeat = z.infer<typeof Heartbeat>;
export const HeartbeatAnswer = z.object({
  continue: z.boolean(),
  /** Replacement sent in the last ten minutes of a token. */
  renewed: z.object({ token: z.string(), expiresAt: z.number() }).optional(),
});
export type HeartbeatAnswer = z.infer<typeof HeartbeatAnswer>;

export const JobStatus = Heartbeat.extend({ jobId: z.string(), kind: z.string() });
export type JobStatus = z.infer<typeof JobStatus>;
export const EncoderHealth = z.object({
  status: z.enum(["ok", "draining"]),
  running: z.int(),
  queued: z.int(),
  capacity: z.int(), // concurrent video jobs; one probe, one audio and one captions job run alongside
});
export type EncoderHealth = z.infer<typeof EncoderHealth>;
