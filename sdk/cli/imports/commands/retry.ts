import { flag, repeatedText } from "../../terminal/command-line.ts";
import { defineImportCommand } from "../define.ts";
import { IMPORT_NOTES } from "../help.ts";
import { namingOptions } from "../naming-options.ts";
import type { Batch } from "../records.ts";
import { type ImportSession, ofBatch, openImports } from "../session.ts";
import { CREDENTIAL_OPTIONS, credentialForBatch, goOnWith } from "../start/credential-for-batch.ts";
import { after, json, watch } from "./moves.ts";

async function tryAgain({ sluice, signal }: ImportSession, id: string, items: readonly string[]): Promise<Batch> {
  const body = items.length === 0 ? {} : { items: [...items] };
  return (await sluice.post("/v1/imports/{importId}/retry", { ...ofBatch(id), body, signal })).data;
}

/** Whether anything of the batch still needs its source. */
const hasWork = ({ counts: { pending, submitted } }: Batch): boolean => pending + submitted > 0;

export const retry = defineImportCommand({
  name: "import retry",
  summary: "tries failed items again",
  argument: "ID",
  about: `Tries failed items again: all of them, or those that are named. A media that failed is deleted first. Credentials that are not kept
were deleted when the batch ended: give them again with --credentials-file or --credential.`,
  options: {
    item: repeatedText("SOURCE_ID", "this item, by its id at the source; may be repeated"),
    ...CREDENTIAL_OPTIONS,
    "keep-credential": flag("keeps new credentials after the batch, for the next retry"),
    watch,
    json,
  },
  notes: IMPORT_NOTES,
  async run({ item, watch, json, ...given }, id) {
    const session = await openImports(json);
    const credential = await credentialForBatch(session, id, given);
    const run = async () => {
      const batch = await tryAgain(session, id, item);
      if (credential === null || credential.id === null) return batch;
      if (hasWork(batch)) return goOnWith(session, id, credential.id);
      await credential.forget();
      return batch;
    };
    const batch = await run().catch(async (error: unknown) => {
      await credential?.forget();
      throw json ? error : namingOptions(error, { items: { option: "--item", values: item } });
    });
    return after(session, batch, watch);
  },
});
