import { sql } from "drizzle-orm";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import { type Committed, commitWithEvents } from "../../events/webhooks/index.ts";
import { mediaEvent } from "./media-event.ts";
import { type Asset, type AssetRecord, changeAsset, findAsset } from "./repository.ts";

/** The asset machine changes the record too. After a conflict it is read again, with a growing, jittered pause. */
const MOST_TRIES = 40;
const MOST_PAUSE_MS = 100;

/** Updates an asset's title, creator id or metadata, with `video.media.updated`. @returns null when there is no such asset */
export async function updateAsset(
  env: Env,
  { workspaceId, assetId }: { workspaceId: string; assetId: string },
  change: Partial<Pick<Asset, "title" | "creatorId" | "metadata">>,
  now: Date,
): Promise<{ record: AssetRecord; committed: Committed } | null> {
  const db = openDatabase(env.DB);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const seen = await findAsset(db, workspaceId, assetId);
    if (seen === null) return null;
    const record = { ...seen, asset: { ...seen.asset, ...change, updatedAt: now } };
    const event = mediaEvent("video.media.updated", record, { id: crypto.randomUUID(), atMs: now.getTime() });
    const committed = await commitWithEvents(
      env,
      [changeAsset(db, seen.asset, { ...change, updatedAt: now })],
      [{ event, onlyIf: sql`changes() > 0` }],
    );
    if (committed.isNew[0]) return { record, committed };
    const pauseMs = Math.random() * Math.min(MOST_PAUSE_MS, 2 ** tries);
    await new Promise((done) => setTimeout(done, pauseMs));
  }
  throw new Problem("unavailable", "the media kept changing during the update");
}
