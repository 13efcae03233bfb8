import { openDatabase } from "../../platform/database.ts";
import { allowsPrivateNetwork } from "../../platform/network/index.ts";
import { openSource } from "../connections/open-source.ts";
import { findCredential } from "../credentials/repository.ts";
import { openCredentials } from "../credentials/open-credentials.ts";
import { fetchList } from "../lists/fetch-list.ts";
import { openStoredRows } from "../lists/stored-rows.ts";
import { type ListOptions, openList } from "../sources/list.ts";
import { inlineRows, type RowReader } from "../sources/row-reader.ts";
import { type ListedVideo, type Source, SourceFailure } from "../sources/source.ts";
import type { BatchComponents } from "./components.ts";

/** The batch's source. @throws {SourceFailure} */
export function sourceOf(batch: BatchComponents): Promise<Source> {
  batch.source ??= batch.runtime.open(batch).catch((error: unknown) => {
    batch.source = null;
    throw error;
  });
  return batch.source;
}

/** The source is opened anew, and so refused, when its credentials were deleted. Call it once in a turn. */
export async function closeWithoutCredentials(batch: BatchComponents): Promise<void> {
  const { credentialId, workspaceId } = batch.order;
  if (batch.source === null || credentialId === null) return;
  const exists = await findCredential(openDatabase(batch.env.DB), { workspaceId, credentialId }).then(
    (row) => row !== null,
    () => true, // a database that fails says nothing about them
  );
  if (!exists) batch.source = null;
}

/** Opens a batch's source with its credentials. @throws {SourceFailure} credentials_invalid when they were deleted */
export async function openBatchSource(batch: BatchComponents): Promise<Source> {
  const { env, order } = batch;
  const { source: kind, options, credentialId, workspaceId } = order;
  if (kind === "list") {
    const rows = batch.scan.isComplete ? READ_ALREADY : await rowsOf(batch, options);
    return openList(rows, { allowsPrivateNetwork: allowsPrivateNetwork(env) });
  }
  const opened = credentialId === null ? null : await openCredentials(env, workspaceId, credentialId);
  if (credentialId !== null && opened === null)
    throw new SourceFailure("credentials_invalid", "The credentials of this batch were deleted.");
  return openSource(env, { kind, options, credentials: opened?.credentials ?? null });
}

/** Items have all that their rows said, so that a list may be deleted once it was read. */
const READ_ALREADY = inlineRows([]);

/** The video as its source describes it now. The rows of a list never change. */
export const describedNow = (
  { order }: BatchComponents,
  source: Source,
  video: ListedVideo,
): Promise<ListedVideo | null> => (order.source === "list" ? Promise.resolve(video) : source.describe(video.id));

/** The rows of a list. One at an address is fetched once, and stored. @throws {SourceFailure} */
async function rowsOf(batch: BatchComponents, { items, listId, url, format }: ListOptions): Promise<RowReader> {
  const { env, documents, order, clock } = batch;
  if (items !== undefined) return inlineRows(items);
  const { workspaceId } = order;
  const now = new Date(clock());
  let id = listId ?? documents.get("listId");
  if (id === undefined) {
    const fetched = await fetchList(env, { workspaceId, url: url!, format: format ?? null, now });
    id = fetched.list.id;
    documents.put("listId", id);
  }
  const rows = await openStoredRows(env, { workspaceId, listId: id }, now);
  if (rows === null) throw new SourceFailure("source_unreadable", "The list of this batch was deleted.");
  return rows;
}
