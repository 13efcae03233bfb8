import { openSource } from "../connections/open-source.ts";
import { openCredentials } from "../credentials/index.ts";
import { openListOf } from "../lists/index.ts";
import { type Source, SourceFailure } from "../sources/source.ts";
import type { BatchComponents } from "./components.ts";

/** The batch's source, opened with its credentials. @throws {SourceFailure} credentials_invalid when they were deleted or do not open */
export function sourceOf(batch: BatchComponents): Promise<Source> {
  batch.source ??= open(batch).catch((error: unknown) => {
    batch.source = null;
    throw error;
  });
  return batch.source;
}

async function open({ env, order }: BatchComponents): Promise<Source> {
  const { source: kind, options, credentialId, workspaceId } = order;
  if (kind === "list") return openListOf(env, workspaceId, options);
  const credentials = credentialId === null ? null : await openCredentials(env, workspaceId, credentialId);
  if (credentialId !== null && credentials === null)
    throw new SourceFailure("credentials_invalid", "The credentials of this batch were deleted.");
  return openSource(env, { kind, options, credentials });
}
