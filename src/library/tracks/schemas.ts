import { z } from "@hono/zod-openapi";
import { Vocabulary } from "../../ai/settings/index.ts";
import { Metadata } from "../../platform/http/fields.ts";
import { languageName } from "../../media/languages.ts";
import { changedElsewhere } from "../../platform/http/hints/changed-elsewhere.ts";
import { hinted } from "../../platform/http/hints/issue-hints.ts";
import {
  LanguageCode,
  LanguageName,
  NewTrackTitle,
  SUBTITLE_LANGUAGES,
  subtitleFlags,
  TrackTitle,
} from "./store/fields.ts";

export const AddTrack = z
  .object({
    tracks: z.object({
      url: z.string().min(1).openapi({
        description:
          "http or https, reachable from the internet. Subtitles: SRT, WebVTT, TTML or SCC; sound: as a source",
        example: "https://example.com/film.it.srt",
      }),
      type: z.enum(["audio", "subtitle"]),
      languageCode: LanguageCode,
      languageName: LanguageName,
      title: TrackTitle.optional(),
      ...subtitleFlags,
    }),
  })
  .openapi("AddTrack");
export type AddTrack = z.infer<typeof AddTrack>;

const AT_ADDITION = "it is fixed when the track is added: delete the track, and add another";
export const UpdateTrack = changedElsewhere(
  z
    .object({
      languageCode: LanguageCode,
      languageName: LanguageName,
      title: NewTrackTitle.optional(),
      url: z.unknown().optional().openapi({
        description: "Older clients send it. It changes nothing: the file of a track is fixed when the track is added",
      }),
    })
    .openapi("UpdateTrack", { description: "Language and name are sent together, also when one of them stays" }),
  { type: AT_ADDITION, default: AT_ADDITION, forced: AT_ADDITION, closedCaptions: AT_ADDITION },
);
export type UpdateTrack = z.infer<typeof UpdateTrack>;

/** Languages of speech (media contract, tracks). */
export const GenerateSubtitles = z
  .object({
    languageCode: z.enum(SUBTITLE_LANGUAGES).openapi({ description: "What is spoken", example: "en-US" }),
    languageName: LanguageName,
    title: TrackTitle.optional(),
    metadata: Metadata.optional(),
    vocabulary: Vocabulary.optional(),
  })
  .openapi("GenerateSubtitles");
export type GenerateSubtitles = z.infer<typeof GenerateSubtitles>;

/** The languages are those of tracks. */
/** A model is not asked, and paid, for a language that nobody knows. */
const hasName = (code: string): boolean => code !== "und" && languageName(code) !== code;

export const TranslateTrack = z
  .object({
    languageCode: LanguageCode.refine(
      hasName,
      hinted("is invalid", "must be the tag of a language that has a name, such as `it`"),
    ).openapi({
      description: "The language of the translation",
      example: "it",
    }),
    languageName: LanguageName.optional().openapi({ description: "The English name of the language by default" }),
    title: TrackTitle.optional(),
  })
  .openapi("TranslateTrack");
export type TranslateTrack = z.infer<typeof TranslateTrack>;

export const AddedTrackRecord = z
  .object({
    id: z.uuid(),
    type: z.enum(["audio", "subtitle"]),
    url: z.string().optional(),
    languageCode: z.string(),
    languageName: z.string(),
    title: z.string().optional(),
  })
  .openapi("AddedTrack");
