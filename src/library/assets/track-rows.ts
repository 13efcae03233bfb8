import type { Fraction } from "../../../protocol/source-facts.ts";
import { languageName, languageTag } from "../../media/languages.ts";
import type { NewTrack } from "./projection.ts";

interface TrackFacts {
  video: { widthPx: number; heightPx: number; frameRate: Fraction } | null;
  audio: { languageCode: string; title: string }[];
}

/** The tracks of a source as the REST record lists them. The position in the file identifies a track, so a repeated insert adds none. */
export function tracksOf(assetId: string, { video, audio }: TrackFacts): NewTrack[] {
  const picture: NewTrack[] =
    video === null
      ? []
      : [
          {
            id: crypto.randomUUID(),
            assetId,
            position: 0,
            kind: "video",
            widthPx: video.widthPx,
            heightPx: video.heightPx,
            frameRate: `${video.frameRate.num}/${video.frameRate.den}`,
          },
        ];
  const sound = audio.map(({ languageCode, title }, index): NewTrack => ({
    id: crypto.randomUUID(),
    assetId,
    position: index + 1,
    kind: "audio",
    languageCode: languageTag(languageCode),
    languageName: languageName(languageCode),
    title: title || null,
  }));
  return [...picture, ...sound];
}
