/** Requests of AI of which the machine of their media may never have heard, as the cron finds them. */
import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { insertInsights, findStrayInsights, newInsight } from "../../../../src/library/insights/store/repository.ts";
import { newTrack } from "../../../../src/library/tracks/store/new-track.ts";
import { findStrayTracks, insertTracks } from "../../../../src/library/tracks/store/repository.ts";
import { transcriptTrack } from "../../../../src/library/tracks/store/made-subtitles.ts";
import { commit, openDatabase } from "../../../../src/platform/database.ts";
import { newAsset } from "../../playback/playable.ts";

const db = openDatabase(env.DB);
const now = new Date();
const MINUTE_MS = 60_000;
const before = new Date(now.getTime() - MINUTE_MS);
const ago = (ms: number) => new Date(now.getTime() - ms);

/** A media for which a summary is being made, and captions first. @param ageMs of its request */
async function newRequest(ageMs: number, media: Parameters<typeof newAsset>[0] = { status: "ready" }): Promise<string> {
  const { assetId } = await newAsset(media);
  const request = { kind: "summary", order: {} } as const;
  await commit(env.DB, [
    ...insertInsights(db, [newInsight(request, { assetId, workspaceId: "w" }, ago(ageMs))]),
    ...insertTracks(db, [newTrack(transcriptTrack(), assetId, ago(ageMs))]),
  ]);
  return assetId;
}

/** The media of those that the cron takes up in so many minutes. */
async function takenIn(minutes: number, limit: number): Promise<{ insights: Set<string>; tracks: Set<string> }> {
  const [found, tracks] = [new Set<string>(), new Set<string>()];
  for (let n = 0; n < minutes; n += 1) {
    const turn = { limit, now: new Date(now.getTime() + n * MINUTE_MS) };
    for (const { assetId } of await findStrayInsights(db, before, turn)) found.add(assetId);
    for (const { assetId } of await findStrayTracks(db, before, turn)) tracks.add(assetId);
  }
  return { insights: found, tracks };
}

describe("a lost request", () => {
  test("is found behind older ones whose media waits for its file, or is deleted", async () => {
    for (let n = 0; n < 3; n += 1) await newRequest(3 * MINUTE_MS, { status: "waiting" });
    await newRequest(3 * MINUTE_MS, { status: "ready", deletedAt: now });
    const lost = await newRequest(2 * MINUTE_MS);
    expect((await takenIn(1, 1)).insights).toEqual(new Set([lost]));
    expect((await takenIn(2, 1)).tracks).toContain(lost); // tracks of a deleted media have a turn of their own
  });

  test("is found behind older ones that are being made, in its turn", async () => {
    const older = [await newRequest(5 * MINUTE_MS), await newRequest(4 * MINUTE_MS), await newRequest(3 * MINUTE_MS)];
    const lost = await newRequest(2 * MINUTE_MS);
    const all = new Set([...older, lost]);
    const { insights, tracks } = await takenIn(10, 2);
    expect([...all].filter((id) => !insights.has(id) || !tracks.has(id))).toEqual([]);
  });

  test("of a media that has failed is found, so that it ends", async () => {
    const lost = await newRequest(2 * MINUTE_MS, { status: "errored" });
    expect((await takenIn(10, 2)).insights).toContain(lost);
  });
});
