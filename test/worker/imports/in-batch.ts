/** The components of one batch in an object of its own, whose clock stands still a day ahead: no alarm of it comes. */
import { env, runInDurableObject } from "cloudflare:test";
import type { BatchMessage } from "../../../src/imports/batch-machine/batch-message.ts";
import { BatchComponents, SCAN_BEGIN } from "../../../src/imports/batch-machine/components.ts";
import type { ItemState } from "../../../src/imports/batches/batch-calls.ts";
import type { ListItemInput } from "../../../src/imports/sources/list-item.ts";
import { openList } from "../../../src/imports/sources/list.ts";
import { inlineRows } from "../../../src/imports/sources/row-reader.ts";
import type { Source } from "../../../src/imports/sources/source.ts";
import type { Sequenced } from "../../../src/platform/machine/outbox.ts";
import { newWorkspace } from "../workspace.ts";

export interface TestBatch {
  batch: BatchComponents;
  /** Adds items of other videos, past the code that lists them. They are due after the test. */
  addMany: (count: number, status: ItemState) => void;
  /** What the outbox has sent in place of D1. */
  sent: Sequenced<BatchMessage>[];
}

const DAY_MS = 24 * 3600_000;

/** A batch over these items that runs once it is scanned. */
export const listed = (items: ListItemInput[]): Source => openList(inlineRows(items), { allowsPrivateNetwork: true });

export async function inBatch<T>(source: Source, work: (given: TestBatch) => Promise<T>): Promise<T> {
  const { id: workspaceId } = await newWorkspace();
  const stub = env.IMPORT_BATCH.get(env.IMPORT_BATCH.newUniqueId());
  return await runInDurableObject(stub, async (_, { storage }) => {
    const sent: Sequenced<BatchMessage>[] = [];
    const project = async (_batch: BatchComponents, messages: Sequenced<BatchMessage>[]) => void sent.push(...messages);
    const nowMs = Date.now() + DAY_MS;
    const runtime = { after: () => {}, self: undefined, open: async () => source };
    const batch = new BatchComponents(storage, env, runtime, project, () => nowMs);
    batch.documents.put("order", {
      batchId: crypto.randomUUID(),
      workspaceId,
      publicUrl: "http://sluice.test",
      source: "list",
      options: {},
      credentialId: null,
      selection: { ids: [], createdAfterMs: null, createdBeforeMs: null, limit: null },
      settings: {
        accessPolicy: "asSource",
        maxResolution: "1080p",
        mediaQuality: "standard",
        mp4Support: "none",
        captions: true,
        metadata: null,
      },
      dryRun: false,
      createdAtMs: nowMs,
    });
    batch.documents.put("scan", SCAN_BEGIN);
    const addMany = (count: number, status: ItemState) =>
      void storage.sql.exec(
        `INSERT INTO items (source_id, status, video, due, updated)
         WITH RECURSIVE others(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM others WHERE n < ?)
         SELECT 'other ' || n, ?, '{"id":"other","ref":{}}', ?, 0 FROM others WHERE ? > 0`,
        count,
        status,
        nowMs + DAY_MS,
        count,
      );
    return await work({ batch, addMany, sent });
  });
}
