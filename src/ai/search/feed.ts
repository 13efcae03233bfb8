import { openDatabase } from "../../platform/database.ts";
import { errorFields, logError } from "../../platform/log.ts";
import { type Change, deleteChanges, EVERYTHING, readChanges } from "./changes.ts";
import type { SearchComponents } from "./components.ts";
import { textsOf } from "./media-texts.ts";
import { beginRebuild, continueRebuild } from "./rebuild.ts";
import { Run } from "./run.ts";
import { takeOver } from "./take-over.ts";

const CHANGES_AT_ONCE = 50;
/** Media that could not be taken over, after which a run ends: what prevents it concerns all of them. */
const MOST_FAILED = 20;

/** What prevented media from being taken over, by their ids. */
type Failed = Map<string, unknown>;

/**
 * Takes over the changes that D1 lists. A change says only which media has changed: the index is then made what D1 says of it. A change is deleted
 * afterwards, so one that a crash interrupts is taken over again, to the same effect.
 *
 * @throws what prevented a media from being taken over, when the others are; its changes stay
 */
export async function feed(components: SearchComponents): Promise<void> {
  const { documents, env, timers, workspaceId } = components;
  if (workspaceId === null) return;
  const run = new Run(Date.now);
  const failed: Failed = new Map();
  while (!run.isOver && failed.size < MOST_FAILED) {
    const rebuilding = documents.get("rebuilding");
    if (rebuilding !== undefined) {
      await continueRebuild(components, workspaceId, rebuilding, run);
      continue;
    }
    const changes = await readChanges(openDatabase(env.DB), workspaceId, failed.keys(), CHANGES_AT_ONCE);
    const everything = changes.findLast(({ assetId }) => assetId === EVERYTHING);
    if (everything !== undefined) beginRebuild(components, everything.seq);
    else if (changes.length > 0) await takeOverAll(components, workspaceId, changes, { run, failed });
    else break;
  }
  const [error] = failed.values();
  if (error !== undefined) throw error;
  if (run.isOver) timers.schedule("feed", Date.now());
}

async function takeOverAll(
  components: SearchComponents,
  workspaceId: string,
  changes: readonly Change[],
  { run, failed }: { run: Run; failed: Failed },
): Promise<void> {
  const db = openDatabase(components.env.DB);
  const ids = [...new Set(changes.map(({ assetId }) => assetId))];
  const found = new Map((await textsOf(db, workspaceId, ids)).map((texts) => [texts.mediaId, texts]));
  run.count(4);
  for (const assetId of ids) {
    if (run.isOver) return; // what has been taken over is not written again
    const texts = found.get(assetId) ?? { mediaId: assetId, createdMs: 0, title: null, tracks: [] };
    try {
      run.count(await takeOver(components, texts));
    } catch (error) {
      failed.set(assetId, error);
      logError("search.not_indexed", { workspaceId, assetId, ...errorFields(error) });
    }
  }
  await deleteChanges(db, workspaceId, changes.at(-1)!.seq, failed.keys());
}
