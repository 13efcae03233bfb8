import { allowsPrivateNetwork } from "../../platform/network/index.ts";
import { openSource } from "../connections/open-source.ts";
import { openCredentials } from "../credentials/open-credentials.ts";
import { fetchList } from "../lists/fetch-list.ts";
import { openStoredRows } from "../lists/stored-rows.ts";
import { type ListOptions, openList } from "../sources/list.ts";
import { inlineRows, type RowReader } from "../sources/row-reader.ts";
import { type Source, SourceFailure } from "../sources/source.ts";
import type { BatchComponents } from "./components.ts";

/** The batch's source. @throws {SourceFailure} */
export function sourceOf(batch: BatchComponents): Promise<Source> {
  batch.source ??= batch.runtime.open(batch).catch((error: unknown) => {
    batch.source = null;
    throw error;
  });
  return batch.source;
}

/** Opens a batch's source with its credentials. @throws {SourceFailure} credentials_invalid when they were deleted */
export async function openBatchSource(batch: BatchComponents): Promise<Source> {
  const { env, order } = batch;
  const { source: kind, options, credentialId, workspaceId } = order;
  if (kind === "list") {
    const rows = await rowsOf(batch, options);
    return openList(rows, { allowsPrivateNetwork: allowsPrivateNetwork(env) });
  }
  const opened = credentialId === null ? null : await openCredentials(env, workspaceId, credentialId);
  if (credentialId !== null && opened === null)
    throw new SourceFailure("credentials_invalid", "The credentials of this batch were deleted.");
  return openSource(env, { kind, options, credentials: opened?.credentials ?? null });
}

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
