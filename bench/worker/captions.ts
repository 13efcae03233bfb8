/** A search index that fills itself, so that a million captions need no files. */
import { SearchIndex } from "../../durable-objects/search-index.ts";
import { addedTracks } from "../../src/library/tracks/store/tables.ts";
import { assets } from "../../src/library/assets/tables.ts";
import { openDatabase } from "../../src/platform/database.ts";
import type { Env } from "../../src/platform/env.ts";
import { type CaptionFilling, captionTexts } from "./caption-filling.ts";

interface FilledTrack extends CaptionFilling {
  mediaId: string;
  trackId: string;
  createdMs: number;
}

export class FillableSearchIndex extends SearchIndex {
  override async fetch(request: Request): Promise<Response> {
    const track = await request.json<FilledTrack>();
    const { mediaId, trackId, createdMs: mediaCreatedMs } = track;
    const cues = Array.from(captionTexts(track), (text, n) => ({ startMs: n * 3000, endMs: n * 3000 + 2500, text }));
    const { index } = this.components;
    index.put({ mediaId, trackId, version: 1, mediaCreatedMs }, cues, 0);
    return Response.json({ ...index.totals, bytes: index.bytes });
  }
}

/** A media with one track, in D1 and in the index. @returns what the index has in all */
export async function fillCaptions(env: Env, filling: CaptionFilling): Promise<{ cues: number; bytes: number }> {
  const { workspaceId, number } = filling;
  const [mediaId, trackId, createdMs] = [crypto.randomUUID(), crypto.randomUUID(), 1e12 + number * 60_000];
  const createdAt = new Date(createdMs);
  const db = openDatabase(env.DB);
  await db.batch([
    db.insert(assets).values({
      id: mediaId,
      workspaceId,
      metadata: {},
      accessPolicy: "public",
      maxResolution: "1080p",
      mediaQuality: "standard",
      sourceUrl: "http://127.0.0.1:9/film.mp4",
      clipStartMs: 0,
      publicUrl: "http://127.0.0.1",
      status: "ready",
      stage: "done",
      createdAt,
      updatedAt: createdAt,
      startedAt: createdAt,
    }),
    db.insert(addedTracks).values({
      id: trackId,
      assetId: mediaId,
      kind: "subtitle",
      languageCode: "en",
      languageName: "English",
      status: "available",
      captions: { cueCount: filling.captions, skippedCues: 0, peakBps: 1000, averageBps: 500 },
      createdAt,
    }),
  ]);
  await env.DB.prepare("DELETE FROM search_changes WHERE asset_id = ?").bind(mediaId).run(); // its captions are in no file
  const index = env.SEARCH_INDEX.get(env.SEARCH_INDEX.idFromName(workspaceId));
  const track: FilledTrack = { ...filling, mediaId, trackId, createdMs };
  const answer = await index.fetch("https://index/fill", { method: "POST", body: JSON.stringify(track) });
  if (!answer.ok) throw new Error(`the index answered ${answer.status}`);
  return await answer.json<{ cues: number; bytes: number }>();
}
