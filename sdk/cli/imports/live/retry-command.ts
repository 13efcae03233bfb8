import { ApiError } from "../../../index.ts";
import type { Batch } from "../records.ts";
import type { ImportSession } from "../session.ts";
import { ridingOut } from "./follow-batch.ts";

interface Retry {
  command: string;
  /** What it needs besides; empty = nothing. */
  needs: string;
}

/** How the failed items of a batch that has ended are tried again: credentials that are not kept are deleted at its end. */
export async function retryOf(session: ImportSession, { id, credentialId }: Batch): Promise<Retry> {
  if (credentialId === undefined || (await isKept(session, credentialId)))
    return { command: `sluice import retry ${id} --watch`, needs: "" };
  return {
    command: `sluice import retry ${id} --credentials-file FILE --watch`,
    needs:
      "The credentials of this batch were not kept, so trying again needs them in a file, or stored ones with --credential ID.",
  };
}

async function isKept(session: ImportSession, credentialId: string): Promise<boolean> {
  const { sluice, signal } = session;
  const options = { params: { path: { credentialId } }, signal };
  try {
    return (await ridingOut(session)(() => sluice.get("/v1/imports/credentials/{credentialId}", options))).data.keep;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}
