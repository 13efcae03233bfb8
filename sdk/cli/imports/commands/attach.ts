import { flag } from "../../terminal/command-line.ts";
import { defineImportCommand } from "../define.ts";
import { IMPORT_NOTES } from "../help.ts";
import { accompany } from "../live/accompany.ts";
import { openImports } from "../session.ts";

export const attach = defineImportCommand({
  name: "import attach",
  summary: "shows a batch from where it is to its end",
  argument: "ID",
  about: `Shows a batch from where it is to its end: how far its dry run is, its report, and then the live view. After a dry run it asks
whether to start. Ctrl-C leaves the batch as it is.`,
  options: {
    yes: flag("starts after the dry run without a question"),
    json: flag("prints one JSON object per line"),
  },
  notes: IMPORT_NOTES,
  run: async ({ yes, json }, id) => accompany(await openImports(json), id, { start: yes ? "always" : "ask" }),
});
