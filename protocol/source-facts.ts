/** What a probe finds out about a source. */
import { z } from "zod";

export const Fraction = z.object({ num: z.int().positive(), den: z.int().positive() });
export type Fraction = z.infer<typeof Fraction>;

/** At most this many jumps of a source's clock; one with more is damaged. */
export const MAX_CLOCK_SPANS = 1000;

/** A part of a transport or program stream in which the clock does not jump. */
export const ClockSpan = z.object({
  firstByte: z.int().min(0), // of the file; the span ends where the next one begins
  /** Added to its timestamps (ticks of 90 kHz), it gives the presentation time from 0 on. */
  shiftTicks: z.int(),
  startMs: z.number(), // presentation time of its first packet
});
export type ClockSpan = z.infer<typeof ClockSpan>;
const Clock = z.array(ClockSpan).max(MAX_CLOCK_SPANS);

/** One video stream of a source, described as displayed: after mirroring and rotation, in square pixels. */
export const SourceVideo = z.object({
  streamIndex: z.int().min(0),
  codec: z.string(), // libav's name: "h264", "hevc", "vp9"
  widthPx: z.int().positive(), // display size, may be odd
  heightPx: z.int().positive(),
  rotationDegrees: z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)]), // clockwise, makes it upright
  isMirrored: z.boolean().optional(), // left and right are exchanged before it is rotated; absent = no
  /** Constant output rate: the source's rate, at most 60; when it varies, one that loses few pictures. */
  frameRate: Fraction,
  variableFrameRate: z.boolean(),
  /** A time at which a picture of the constant rate is shown: times of others are rounded to whole frames from it. Absent = they are used as they are. */
  gridMs: z.number().optional(),
  interlaced: z.boolean(),
  bitDepth: z.int().positive(),
  hdr: z.enum(["pq", "hlg"]).nullable(),
  /** Presentation time of the stream's first frame. */
  startMs: z.number().min(0),
  durationMs: z.number().min(0),
  bitrateBps: z.number().min(0), // 0 = unknown
  clock: Clock.optional(), // absent = the clock never jumps
});
export type SourceVideo = z.infer<typeof SourceVideo>;

export const SourceAudio = z.object({
  streamIndex: z.int().min(0),
  rightStreamIndex: z.int().min(0).optional(), // the right channel is a mono stream of its own; `streamIndex` is the left one
  codec: z.string(),
  channels: z.int().positive(),
  sampleRateHz: z.int().positive(),
  languageCode: z.string(), // BCP 47 / ISO 639 as tagged; "und" when not
  title: z.string(), // "" when not tagged
  isDefault: z.boolean(),
  isDescription: z.boolean().optional(), // describes the picture for viewers who do not see it
  startMs: z.number().min(0),
  durationMs: z.number().min(0),
  clock: Clock.optional(), // absent = the clock never jumps
});
export type SourceAudio = z.infer<typeof SourceAudio>;

/** Subtitle codecs whose packets are text, by libav's names. Those of pictures (PGS, DVB, VobSub) are not read. */
export const TEXT_CODECS = ["mov_text", "subrip", "ass", "webvtt"] as const;
export type TextCodec = (typeof TEXT_CODECS)[number];
/** Codecs that carry several captions: CEA-608 and CEA-708 in the picture, a track of CEA-608, pages of teletext. */
export const CHANNEL_CODECS = ["cc_data", "eia_608", "dvb_teletext"] as const;
export type ChannelCodec = (typeof CHANNEL_CODECS)[number];
export const SUBTITLE_CODECS = [...TEXT_CODECS, ...CHANNEL_CODECS] as const;
export type SubtitleCodec = (typeof SUBTITLE_CODECS)[number];
/** Subtitles of one source: text streams, and channels of others; more are left out. */
export const MAX_SUBTITLE_STREAMS = 32;

/** One text subtitle stream of a source, or one channel that a stream may carry, which may turn out to be empty. */
export const SourceSubtitles = z.object({
  streamIndex: z.int().min(0),
  codec: z.enum(SUBTITLE_CODECS),
  channel: z
    .string()
    .regex(/^[A-Z0-9]{1,10}$/)
    .optional(), // of a ChannelCodec: "CC1" to "CC4", "SERVICE1" to "SERVICE6", a page of teletext: "888"
  languageCode: z.string(), // as tagged; "und" when not
  title: z.string(), // "" when not tagged
  isForced: z.boolean(),
  isHearingImpaired: z.boolean(),
});
export type SourceSubtitles = z.infer<typeof SourceSubtitles>;

export const SourceFacts = z.object({
  containerFormat: z.string(), // "mp4", "mov", "matroska", "webm", "mpegts", "avi", …
  durationMs: z.number().min(0), // of the requested clip, not of the whole file
  video: SourceVideo.nullable(),
  audio: z.array(SourceAudio),
  subtitles: z.array(SourceSubtitles).max(MAX_SUBTITLE_STREAMS).optional(), // absent = none
});
export type SourceFacts = z.infer<typeof SourceFacts>;
