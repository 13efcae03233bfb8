import { z } from "@hono/zod-openapi";
import { MetadataRecord, Score } from "./fields.ts";
import { PlaybackIdRecord } from "./playback-id.ts";

export const TrackRecord = z
  .object({
    id: z.uuid(),
    type: z.enum(["video", "audio", "subtitle"]),
    width: z.int().optional(),
    height: z.int().optional(),
    frameRate: z.string().optional(),
    languageCode: z.string().optional(),
    languageName: z.string().optional(),
    title: z.string().optional(),
    status: z.string().openapi({
      description: "`available`; of an added track also `preparing` and `failed`",
      example: "available",
    }),
    default: z.literal(true).optional().openapi({ description: "Players select it unless the viewer chooses another" }),
    forced: z.literal(true).optional().openapi({ description: "Subtitles for everybody, such as translated signs" }),
    closedCaptions: z
      .literal(true)
      .optional()
      .openapi({ description: "Subtitles for those who do not hear the sound" }),
    captions: z
      .object({
        format: z.string().optional().openapi({ description: "Of the file", example: "srt" }),
        encoding: z.string().optional().openapi({ description: "Of the file, as detected", example: "windows-1252" }),
        cueCount: z.int(),
        skippedCues: z.int().openapi({ description: "Without duration or text, or before the start" }),
      })
      .optional()
      .openapi({ description: "What was found in the file of a subtitle track" }),
    error: z
      .object({ code: z.string(), message: z.string(), fault: z.enum(["source", "service"]) })
      .optional()
      .openapi({ description: "With status `failed`: why, and whose fault it is" }),
  })
  .openapi("Track");

/** What has made a result of AI, and at what cost. */
const GeneratedResult = z.strictObject({
  engine: z.string().openapi({
    description: "`whisper.cpp` of the encoder, `openai-compatible`, `workers-ai`, or `source`: the media had captions",
    example: "openai-compatible",
  }),
  model: z.string().optional().openapi({ example: "whisper-1" }),
  version: z.string().optional().openapi({
    description:
      "Of the model, as its provider says it; of the encoder's own, the version of its library and the first digits of the SHA-256 of the model's file. Absent = not known",
    example: "0.0.4+422f1ae452ad",
  }),
  languageCode: z.string().optional().openapi({ description: "What was heard, ISO 639", example: "en" }),
  soundSeconds: z.number().openapi({ description: "What was heard, without silences" }),
  units: z
    .strictObject({ unit: z.literal("second"), quantity: z.number() })
    .optional()
    .openapi({ description: "What the provider charges by: seconds of sound, with those that were asked for again" }),
  costUsd: z.number().openapi({ description: "Of these units, at the prices of the owner's settings" }),
  tookMs: z.number().openapi({ description: "Of the engine, for all pieces" }),
});

const status = z.enum(["preparing", "available", "failed"]);
const percent = z.int().optional().openapi({ description: "How much has been read, while it is made" });
const error = z
  .object({ code: z.string(), message: z.string(), fault: z.enum(["source", "service"]) })
  .optional()
  .openapi({ description: "With status `failed`: why, and whose fault it is" });
/** What has made a result of what is said, and at what cost. */
const result = z
  .strictObject({
    engine: z.string().openapi({
      description:
        "`built-in`, `openai-compatible`, `workers-ai`, `nsfwjs` of the encoder, or `source`: the media of a clip had it. Moderation may have two",
      example: "built-in",
    }),
    model: z.string().optional(),
    trackId: z.uuid().optional().openapi({ description: "The subtitle track that was read" }),
    costUsd: z.number().openapi({ description: "At the prices of the owner's settings" }),
    tookMs: z.number(),
  })
  .optional();
const insight = <Data extends z.ZodType>(data: Data) =>
  z.object({ status, data: data.optional(), percent, result, error }).optional();

const ChapterRecord = z.strictObject({
  chapter: z.string().openapi({ example: "1" }),
  startTime: z.string().openapi({ example: "00:00:00" }),
  endTime: z.string().openapi({ example: "00:00:32" }),
  title: z.string(),
  summary: z.string(),
});
const EntityRecord = z.strictObject({
  name: z.string(),
  category: z.enum(["person", "organization", "location", "product", "event"]),
  count: z.int(),
  timesMs: z.array(z.number()).openapi({ description: "Where it is said, the first ten times, in milliseconds" }),
});

const ModerationRecord = z.strictObject({
  scores: z
    .array(z.strictObject({ category: z.string(), score: Score }))
    .openapi({ description: "A category that nobody could judge is absent" }),
  moments: z
    .array(
      z.strictObject({
        category: z.string(),
        score: Score,
        startMs: z.number(),
        endMs: z.number().optional(),
        source: z.enum(["picture", "speech"]),
        thumbnail: z
          .url()
          .optional()
          .openapi({ description: "Blurred; sharp without `blur`. A private playback ID needs a token there" }),
      }),
    )
    .openapi({ description: "The worst ten at most, 5 s apart, the highest score first" }),
  isFlagged: z.boolean().openapi({ description: "Whether a score is above the threshold" }),
  threshold: Score,
  pictures: z
    .strictObject({ engine: z.string(), model: z.string().optional(), count: z.int() })
    .optional()
    .openapi({ description: "Who has judged how many pictures; absent = nobody" }),
  speech: z
    .strictObject({ engine: z.string(), model: z.string().optional(), trackId: z.uuid() })
    .optional()
    .openapi({ description: "Who has judged what is said, by which subtitle track; absent = nobody" }),
  notJudged: z
    .array(z.strictObject({ half: z.enum(["pictures", "speech"]), code: z.string(), message: z.string() }))
    .optional()
    .openapi({ description: "What was asked for and could not be judged; the rest counts for itself" }),
});

/** A media as events contain it, and as most clients of the API read it. */
export const MediaRecord = z.object({
  thumbnail: z.url().optional().openapi({
    description: "The poster. A private playback ID needs a token there; of sound alone there is none",
    example: "https://images.example.com/0d3e8ff8-2f5c-4c3b-8d45-4e4c0a4c8f1a/thumbnail.png",
  }),
  id: z.uuid(),
  workspaceId: z.uuid(),
  streamId: z.string().optional().openapi({ description: "The stream that this is a recording or a clip of" }),
  sourceMediaId: z.uuid().optional().openapi({ description: "The media that this clip was cut from" }),
  title: z.string().optional(),
  creatorId: z.string().optional(),
  metadata: MetadataRecord,
  mediaQuality: z.enum(["standard", "pro", "premium"]),
  maxResolution: z.enum(["2160p", "1440p", "1080p", "720p", "480p"]),
  sourceResolution: z.enum(["2160p", "1440p", "1080p", "720p", "480p"]).optional(),
  status: z
    .enum(["Created", "Downloading", "Downloaded", "Validating", "In Queue", "Processing", "Ready", "Failed"])
    .openapi({ description: "This release does not use `Downloaded` and `In Queue`" }),
  mp4Support: z
    .enum(["capped_4k", "audioOnly", "audioOnly,capped_4k"])
    .optional()
    .openapi({ description: "The files that viewers may download; absent = none" }),
  sourceAccess: z.boolean(),
  optimizeAudio: z.boolean().optional().openapi({ description: "Its sounds are brought to one loudness; absent = no" }),
  loudness: z
    .array(
      z.strictObject({
        languageCode: z.string(),
        integratedLufs: z.number(),
        truePeakDb: z.number(),
        loudnessRangeLu: z.number(),
        gainDb: z.number(),
        resultLufs: z.number(),
        resultTruePeakDb: z.number(),
      }),
    )
    .optional()
    .openapi({
      description:
        "With `optimizeAudio`, once the media is `Ready`: what was measured of each sound of the source, the gain in dB, and what was measured of the result (EBU R128; LUFS, dBTP, LU)",
    }),
  playbackIds: z.array(PlaybackIdRecord),
  tracks: z.array(TrackRecord),
  generatedSubtitles: z
    .array(
      z.object({
        id: z.uuid().optional(),
        languageCode: z.string().optional(),
        languageName: z.string().optional(),
        status: z.string(),
        url: z.string().optional(),
        percent: z.int().optional().openapi({ description: "How much has been heard, while it is made" }),
        result: GeneratedResult.optional(),
        error: z
          .object({ code: z.string(), message: z.string(), fault: z.enum(["source", "service"]) })
          .optional()
          .openapi({ description: "With status `failed`: why, and whose fault it is" }),
      }),
    )
    .openapi({ description: "Subtitle tracks that were made of the sound; `url` once they are available" }),
  summary: insight(z.string()).openapi({ description: "What is said, if it was asked for" }),
  chapters: insight(z.strictObject({ chapters: z.array(ChapterRecord) })).openapi({
    description: "The chapters, if they were asked for",
  }),
  namedEntities: insight(z.strictObject({ namedEntities: z.array(EntityRecord) })).openapi({
    description: "Names that are said, if they were asked for, the most frequent first",
  }),
  moderation: insight(ModerationRecord).openapi({
    description: "Scores of unwanted content, if they were asked for",
  }),
  isHeld: z
    .literal(true)
    .optional()
    .openapi({ description: "Moderation holds it: it plays nowhere, until POST …/moderation/clear" }),
  isAudioOnly: z.boolean(),
  subtitleAvailable: z.boolean(),
  duration: z.string().optional().openapi({ example: "00:01:10" }),
  aspectRatio: z.string().optional().openapi({ example: "16:9" }),
  frameRate: z.string().optional().openapi({ example: "30000/1001" }),
  progress: z
    .object({
      percent: z.number(),
      stage: z.string(),
      renditions: z.array(z.object({ name: z.string(), percent: z.number() })),
      speed: z.number().optional(),
      retry: z
        .object({ reason: z.string(), attempt: z.int(), nextAttemptAt: z.iso.datetime() })
        .optional()
        .openapi({
          description:
            "While the source cannot be fetched: the code of the failure, the failed tries since the source was last read, and when the " +
            "next one begins. Absent once the source is read again",
          example: { reason: "source_unresolvable", attempt: 1, nextAttemptAt: "2026-05-20T12:50:17.662000Z" },
        }),
    })
    .optional()
    .openapi({ description: "How far processing is; `speed` in media seconds per second" }),
  error: z
    .object({ code: z.string(), message: z.string(), fault: z.enum(["source", "service"]) })
    .optional()
    .openapi({ description: "With status Failed: why, and whose fault it is" }),
  createdAt: z.string(),
  updatedAt: z.string(),
});

/** One file of `mp4Support`, for the newest clients. */
export const Mp4File = z.object({
  type: z.enum(["capped_4k", "audioOnly"]),
  status: z.enum(["preparing", "ready", "failed"]),
  width: z.int().optional(),
  height: z.int().optional(),
  ext: z.enum(["mp4", "m4a"]),
});

/** A media as the API returns it. Events always have the text. */
export const MediaAnswer = MediaRecord.extend({
  mp4Support: z
    .union([MediaRecord.shape.mp4Support.unwrap(), z.array(Mp4File)])
    .optional()
    .openapi({
      description:
        "The files that viewers may download; absent = none. An array for the clients that the operator has named in `MP4_SUPPORT_ARRAY_CLIENTS`.",
    }),
}).openapi("Media");
