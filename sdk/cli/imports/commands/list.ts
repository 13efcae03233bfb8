import { flag, integer } from "../../terminal/command-line.ts";
import { defineImportCommand } from "../define.ts";
import { IMPORT_NOTES } from "../help.ts";
import { batchLine } from "../report-text.ts";
import { openImports } from "../session.ts";

/** The most records on a page of the API. */
const PAGE = 50;

async function run(most: number, isJson: boolean): Promise<number> {
  const limit = most || Infinity;
  const { sluice, signal } = await openImports(isJson);
  let count = 0;
  for await (const batch of sluice.list("/v1/imports", {
    params: { query: { limit: Math.min(limit, PAGE) } },
    signal,
  })) {
    console.log(isJson ? JSON.stringify(batch) : batchLine(batch));
    count += 1;
    if (count === limit) break;
  }
  if (count === 0 && !isJson) console.log("The workspace has no batches.");
  return 0;
}

export const listBatches = defineImportCommand({
  name: "import list",
  summary: "lists the batches of the workspace",
  about: "Lists the batches of the workspace, newest first: creation, state, source, id, and what became of the items.",
  options: {
    limit: integer("N", [0, 1_000_000], "the most batches; 0 lists all", 20),
    json: flag("prints each batch as one line of JSON"),
  },
  notes: IMPORT_NOTES,
  run: ({ limit, json }) => run(limit, json),
});
