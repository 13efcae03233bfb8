import { z } from "@hono/zod-openapi";
import { promptOf, Vocabulary } from "../../../ai/settings/index.ts";
import { languageName } from "../../../media/languages.ts";
import { Metadata } from "../../../platform/http/fields.ts";
import { LanguageName, TrackTitle } from "./fields.ts";
import type { TrackRequest } from "./new-track.ts";
import type { AddedTrack } from "./repository.ts";

/** Languages of `subtitles` (media contract, create body). */
const LANGUAGES = ["en", "it", "pl", "es", "fr", "ru", "nl"] as const;

/** `subtitles` of a creation: captions are made of the media's sound once it is ready. */
export const MadeSubtitles = z
  .object({
    languageName: LanguageName.optional().openapi({ description: "The English name of the language by default" }),
    languageCode: z.enum(LANGUAGES).optional().openapi({ description: "What is spoken; it is detected by default" }),
    title: TrackTitle.optional(),
    metadata: Metadata.optional(),
    vocabulary: Vocabulary.optional(),
  })
  .openapi("MadeSubtitles", {
    description:
      "Subtitles are made of what is spoken, once the media is ready. Captions in this language that the source or an input has are taken instead",
  });
type MadeSubtitles = z.infer<typeof MadeSubtitles>;

/** The tracks that a creation asks for. */
export const madeTracks = ({ subtitles }: { subtitles?: MadeSubtitles | null | undefined }): TrackRequest[] =>
  subtitles ? [madeTrack(subtitles)] : [];

/** Subtitles that results of AI are made of, where a media has none. */
export const transcriptTrack = (): TrackRequest => madeTrack({});

/** One of those that could not be made: the next one takes its place. */
export const isFailedTranscript = ({ status, generated }: Pick<AddedTrack, "status" | "generated">): boolean =>
  status === "failed" && generated?.unlessGiven === true && generated.isNamedByLanguage === true;

/** Until the language is known. */
const UNNAMED = "Automatic";

function madeTrack({
  languageName: given,
  languageCode,
  title,
  metadata,
  vocabulary = [],
}: MadeSubtitles): TrackRequest {
  const name = given ?? (languageCode === undefined ? null : languageName(languageCode));
  return {
    kind: "subtitle",
    url: null,
    languageCode: languageCode ?? "und",
    languageName: name ?? UNNAMED,
    title,
    generated: {
      sound: null,
      languageCode: languageCode ?? null,
      prompt: promptOf(vocabulary),
      unlessGiven: true,
      ...(name === null ? { isNamedByLanguage: true } : {}),
      ...(metadata === undefined ? {} : { metadata }),
    },
  };
}
