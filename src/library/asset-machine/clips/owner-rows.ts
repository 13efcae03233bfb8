import { and, eq } from "drizzle-orm";
import type { ResolutionLabel } from "../../../../protocol/ladder.ts";
import { resolutionLabel } from "../../../../protocol/ladder.ts";
import { presentationOf, type Rendition } from "../../../media/manifest/model.ts";
import { openDatabase } from "../../../platform/database.ts";
import type { Env } from "../../../platform/env.ts";
import { renditions } from "../../assets/tables.ts";
import { addedTracksOf, audioRenditionOf } from "../../tracks/store/repository.ts";

/**
 * The renditions of a media that its clips get: those that it offers, the pictures up to `maxResolution`, or the smallest one. Sound that was added
 * has the labels of its track.
 */
export async function ownerRows(env: Env, ownerId: string, maxResolution: ResolutionLabel): Promise<Rendition[]> {
  const db = openDatabase(env.DB);
  const [rows, added] = await db.batch([
    db
      .select()
      .from(renditions)
      .where(and(eq(renditions.assetId, ownerId), eq(renditions.isWhole, true))),
    addedTracksOf(db, [ownerId]),
  ]);
  const sounds = added.filter(({ kind, status }) => kind === "audio" && status === "available");
  const isReplaced = sounds.some(({ replacesSound }) => replacesSound);
  const labelled = sounds.flatMap(({ id, languageCode, title, languageName, isDefault }) => {
    const row = rows.find(({ name }) => name === audioRenditionOf(id));
    return row === undefined ? [] : [{ ...row, languageCode, languageName: title ?? languageName, isDefault }];
  });
  const own = rows.filter(({ kind, origin }) => origin !== "track" && !(isReplaced && kind === "audio"));
  const presentation = presentationOf({
    status: "ready",
    createdAtMs: 0,
    videoTrackCount: 0,
    audioTrackCount: 0,
    renditions: [...own, ...labelled],
    textTracks: [],
  });
  const pictures = presentation?.videoSets.flat() ?? [];
  const fitting = pictures.filter((row) => isWithin(maxResolution, row));
  const smallest = pictures.toSorted((a, b) => area(a) - area(b)).slice(0, 1);
  return [...(fitting.length > 0 ? fitting : smallest), ...(presentation?.audio ?? [])];
}

type Sized = Pick<Rendition, "widthPx" | "heightPx">;
const area = ({ widthPx, heightPx }: Sized) => (widthPx ?? 0) * (heightPx ?? 0);
const isWithin = (most: ResolutionLabel, { widthPx, heightPx }: Sized) =>
  Number.parseInt(resolutionLabel({ widthPx: widthPx ?? 0, heightPx: heightPx ?? 0 }), 10) <= Number.parseInt(most, 10);
