import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Metadata } from "../../../media/types.ts";
import type { ImposedFile } from "./imposed-sound.ts";

/** What is known about the captions of an available subtitle track. */
export interface CaptionFacts {
  /** Format of the file; absent for captions that did not come in a file. */
  format?: string;
  encoding?: string;
  cueCount: number;
  skippedCues: number;
  /** Peak rate of the segments in HLS. */
  peakBps: number;
  averageBps: number;
  /** For captions that were made of the sound. */
  generated?: GeneratedFacts;
  /** Of the text, from 1; absent = 1. */
  version?: number;
  /** Where its objects are (`captionsKey`); absent = where those of the first version are. */
  folder?: string;
}

/** What has made captions, and at what cost. */
export interface GeneratedFacts {
  /** `whisper.cpp` of the encoder, `openai-compatible`, `workers-ai`, or `source` for captions that the media had. */
  engine: string;
  /** "" = none. */
  model: string;
  /** Of the model; absent = the engine does not say. */
  version?: string;
  /** ISO 639, as it was heard; null = the engine does not say. */
  languageCode: string | null;
  pieces: number;
  /** What was heard, without silences. */
  soundSeconds: number;
  /** What the provider charges by, in all calls, also in those whose answer was of no use. Absent in records of earlier releases. */
  units?: { unit: "second"; quantity: number };
  costUsd: number;
  /** Of all pieces, one after another. */
  tookMs: number;
  /** The track whose captions these are. */
  takenFrom?: string;
}

/** What captions are made of. */
export interface CaptionOrder {
  /** Name of the rendition that is heard; null = the default sound. */
  sound: string | null;
  /** What is spoken, by ISO 639; null = it is detected. */
  languageCode: string | null;
  /** The name of the track is that of the language, once it is known. */
  isNamedByLanguage?: true;
  /** It is the translation of this track; nothing is heard. */
  translatedFrom?: string;
  /** Names and terms that the model should know. */
  prompt: string;
  /** Captions in the language that come with the media are taken instead. Absent = never. */
  unlessGiven?: true;
  /** How much has been heard. Absent = nothing yet. */
  percent?: number;
  /** Pairs of the request. Absent = none. */
  metadata?: Metadata;
}

/**
 * Audio and subtitle tracks that were added to assets, in addition to the tracks of their sources (`tracks` of `assets/tables.ts`). The asset's
 * machine ends `preparing`, through its outbox. The renditions of audio tracks are in `renditions`.
 */
export const addedTracks = sqliteTable(
  "added_tracks",
  {
    id: text().primaryKey(),
    assetId: text().notNull(),
    kind: text({ enum: ["audio", "subtitle"] }).notNull(),
    /** Null: made by the platform, not fetched. */
    url: text(),
    languageCode: text().notNull(), // BCP 47
    languageName: text().notNull(),
    title: text(),
    isDefault: integer({ mode: "boolean" }).notNull().default(false),
    /** Subtitles that are shown to every viewer of the language, such as translated signs. */
    isForced: integer({ mode: "boolean" }).notNull().default(false),
    /** Subtitles for viewers who do not hear the sound. */
    isClosedCaptions: integer({ mode: "boolean" }).notNull().default(false),
    /** Sound that takes the place of the source's own (`swapTrackUrl`): nothing is offered before it is available. */
    replacesSound: integer({ mode: "boolean" }).notNull().default(false),
    /** Subtitles with the times of the source's file, which was cut or joined with others: they move with it. */
    followsEdit: integer({ mode: "boolean" }).notNull().default(false),
    /** Sounds that are mixed into it (`imposeTracks`); null = none. */
    imposed: text({ mode: "json" }).$type<ImposedFile[]>(),
    /** Captions that the platform makes of the media's sound; null = they were given. */
    generated: text({ mode: "json" }).$type<CaptionOrder>(),
    status: text({ enum: ["preparing", "available", "failed"] }).notNull(),
    captions: text({ mode: "json" }).$type<CaptionFacts>(),
    errorCode: text(),
    errorMessage: text(),
    errorFault: text({ enum: ["source", "service"] }),
    createdAt: integer({ mode: "timestamp_ms" }).notNull(),
  },
  (t) => [
    index("added_tracks_of_asset").on(t.assetId, t.createdAt),
    // For the sweep. Column names stay unqualified, as SQLite requires.
    index("added_tracks_preparing")
      .on(t.createdAt)
      .where(sql`status = 'preparing'`),
  ],
);
