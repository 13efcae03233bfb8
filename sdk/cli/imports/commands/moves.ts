import { flag, repeatedText, text } from "../../terminal/command-line.ts";
import { CommandError } from "../../terminal/usage-error.ts";
import { defineImportCommand } from "../define.ts";
import { ENDS, IMPORT_NOTES } from "../help.ts";
import { accompany } from "../live/accompany.ts";
import { countsText } from "../live/live-lines.ts";
import { namingOptions } from "../naming-options.ts";
import { askYes } from "../questions.ts";
import type { Batch } from "../records.ts";
import { type ImportSession, ofBatch, openImports } from "../session.ts";

/** Says what became of the batch, and then shows it if that is wanted. */
export async function after(session: ImportSession, batch: Batch, isWatched: boolean): Promise<number> {
  const { id, status, counts } = batch;
  session.reporter.say({ kind: "batch", importId: id, status, counts }, (screen) =>
    screen.step(`Batch ${status}`, "", countsText(batch)),
  );
  if (isWatched) return await accompany(session, id, { start: "never" });
  return ENDS.done;
}

export const watch = flag("shows the batch until its end; Ctrl-C leaves it running");
export const json = flag("prints one JSON object per line");

export const start = defineImportCommand({
  name: "import start",
  summary: "starts a batch after its dry run",
  argument: "ID",
  about: "Starts a batch after its dry run: makes media of the videos that it has listed.",
  options: { exclude: repeatedText("SOURCE_ID", "leaves this video out; may be repeated"), watch, json },
  notes: IMPORT_NOTES,
  async run({ exclude, watch, json }, id) {
    const session = await openImports(json);
    const { signal, sluice } = session;
    const body = { exclude: [...exclude] };
    const started = await sluice
      .post("/v1/imports/{importId}/start", { ...ofBatch(id), body, signal })
      .catch((error: unknown) => {
        throw json ? error : namingOptions(error, { exclude: { option: "--exclude", values: exclude } });
      });
    return after(session, started.data, watch);
  },
});

export const pause = defineImportCommand({
  name: "import pause",
  summary: "pauses a batch",
  argument: "ID",
  about: "Pauses a batch. Media that are being made go on; no further ones are.",
  options: { json },
  notes: IMPORT_NOTES,
  async run({ json }, id) {
    const session = await openImports(json);
    const { signal, sluice } = session;
    return after(session, (await sluice.post("/v1/imports/{importId}/pause", { ...ofBatch(id), signal })).data, false);
  },
});

export const resume = defineImportCommand({
  name: "import resume",
  summary: "goes on with a paused batch",
  argument: "ID",
  about: "Goes on with a paused batch where it was, also with other credentials.",
  options: { credential: text("ID", "other credentials of the source (sluice import credentials)"), watch, json },
  notes: IMPORT_NOTES,
  async run({ credential, watch, json }, id) {
    const session = await openImports(json);
    const { signal, sluice } = session;
    const body = credential === undefined ? {} : { credentialId: credential };
    return after(
      session,
      (await sluice.post("/v1/imports/{importId}/resume", { ...ofBatch(id), body, signal })).data,
      watch,
    );
  },
});

export const cancel = defineImportCommand({
  name: "import cancel",
  summary: "ends a batch",
  argument: "ID",
  about: "Ends a batch, after a question. Media that were made stay. What was opened at the source is closed again.",
  options: { yes: flag("asks nothing"), json },
  notes: IMPORT_NOTES,
  async run({ yes, json }, id) {
    const session = await openImports(json);
    const { signal, sluice } = session;
    if (!yes && !(await askYes(`End the batch ${id} for good`, "--yes", false)))
      throw new CommandError("The batch was not cancelled.");
    return after(session, (await sluice.post("/v1/imports/{importId}/cancel", { ...ofBatch(id), signal })).data, false);
  },
});
