import { openDatabase } from "../../platform/database.ts";
import { errorFields, log, logError } from "../../platform/log.ts";
import { addChange, deleteChanges } from "./changes.ts";
import type { Rebuilding, SearchComponents } from "./components.ts";
import { type MediaTexts, textsAfter } from "./media-texts.ts";
import type { Run } from "./run.ts";
import { takeOver } from "./take-over.ts";

const MEDIA_AT_ONCE = 50;

/** Empties the index. What D1 and R2 have is taken over by `continueRebuild`. */
export function beginRebuild({ documents, index, workspaceId }: SearchComponents, seq: number): void {
  documents.put("rebuilding", { seq, after: { createdMs: 0, mediaId: "" } });
  index.clear();
  log("search.rebuild_begun", { workspaceId });
}

/** Takes over the next media of D1, from the oldest, so that those of the newest are indexed last. */
export async function continueRebuild(
  components: SearchComponents,
  workspaceId: string,
  { seq, after }: Rebuilding,
  run: Run,
): Promise<void> {
  const { documents, env, index } = components;
  const db = openDatabase(env.DB);
  const media = await textsAfter(db, workspaceId, after, MEDIA_AT_ONCE);
  run.count(3);
  for (const texts of media) {
    run.count(await takeOverOrLater(components, workspaceId, texts));
    const { createdMs, mediaId } = texts;
    documents.put("rebuilding", { seq, after: { createdMs, mediaId } });
    if (run.isOver) return;
  }
  if (media.length === MEDIA_AT_ONCE) return;
  // Earlier changes have been taken over with the media, too.
  await deleteChanges(db, workspaceId, seq);
  documents.delete("rebuilding");
  log("search.rebuilt", { workspaceId, ...index.totals });
}

/** A media that cannot be taken over becomes a change of its own, so that the others do not wait for it. */
async function takeOverOrLater(components: SearchComponents, workspaceId: string, texts: MediaTexts): Promise<number> {
  try {
    return await takeOver(components, texts);
  } catch (error) {
    logError("search.not_indexed", { workspaceId, assetId: texts.mediaId, ...errorFields(error) });
    await addChange(openDatabase(components.env.DB), workspaceId, texts.mediaId);
    return 1;
  }
}
