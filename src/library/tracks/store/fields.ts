/** Fields of requests that describe tracks (media contract, tracks). */
import { z } from "@hono/zod-openapi";
import { line } from "../../../platform/http/fields.ts";
import { hinted } from "../../../platform/http/hints/issue-hints.ts";

/** Languages of generated subtitles and of subtitle inputs; added tracks may have any language. */
export const SUBTITLE_LANGUAGES =
  "ar-SA bn-BD bn-IN ca-ES cs-CZ da-DK de-AT de-CH de-DE el-GR en-AU en-CA en-GB en-IE en-IN en-NZ en-US en-ZA es-AR es-CL es-CO es-ES es-MX es-US fi-FI fr-BE fr-CA fr-CH fr-FR he-IL hi-IN hr-HR hu-HU id-ID it-CH it-IT ja-JP ko-KR ms-MY nb-NO nl-BE nl-NL no-NO pl-PL pt-BR pt-PT ro-RO ru-RU sk-SK sv-SE ta-IN ta-LK te-IN th-TH tr-TR uk-UA vi-VN bg-BG zh-CN zh-HK zh-TW".split(
    " ",
  );

/** Well-formed (RFC 5646 §2.1). No language subtag of four letters or more is registered, so these are names of languages. */
function isLanguageTag(code: string): boolean {
  if (!/^[a-z]{2,3}(?:-|$)/i.test(code)) return false;
  try {
    return Intl.getCanonicalLocales(code).length === 1;
  } catch {
    return false;
  }
}

export const LanguageCode = z
  .string()
  .max(35)
  .refine(isLanguageTag, hinted("is invalid", "must be a language tag of BCP 47, such as `en` or `pt-BR`"))
  .openapi({ description: "BCP 47", example: "it" });

/** Letters, as the media contract says, and what stands between them in names such as `Portuguese (Brazil)`. */
export const LanguageName = z
  .string()
  .max(100)
  .regex(
    /^[A-Za-z]+(?:[ '().,-]+[A-Za-z]+)*\)?$/,
    "words of the letters A to Z, such as `Italian` or `Italian (Switzerland)`; `title` takes any name",
  )
  .openapi({
    description: "Shown in players. ASCII letters; no two tracks of a type of a media have the same",
    example: "Italian",
  });

/** Players show it, and an empty name is none in HLS. */
export const TrackTitle = line(255).refine((text) => /\S/.test(text), hinted("is invalid", "must not be blank"));

/** Title in a change. A blank one removes the title. */
export const NewTrackTitle = line(255).openapi({
  description: "Shown in players instead of the language's name. A blank one removes the title",
});

export const subtitleFlags = {
  default: z.boolean().optional().openapi({ description: "Players select it unless the viewer chooses another" }),
  forced: z.boolean().optional().openapi({ description: "Subtitles for everybody, such as translated signs" }),
  closedCaptions: z.boolean().optional().openapi({ description: "Subtitles for those who do not hear the sound" }),
};
