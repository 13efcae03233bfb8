import { oneOf, text } from "../../terminal/command-line.ts";
import { defineImportCommand } from "../define.ts";
import { IMPORT_NOTES } from "../help.ts";
import { countsText, problemText } from "../live/live-lines.ts";
import type { BatchReport } from "../records.ts";
import { reportLines } from "../report-text.ts";
import { type ImportSession, ofBatch, openImports } from "../session.ts";
import { saveStream } from "./save.ts";

const FORMATS = ["text", "json", "csv", "html"] as const;
type Format = (typeof FORMATS)[number];

async function run(id: string, format: Format, output: string | undefined): Promise<number> {
  const session = await openImports(false);
  const { reporter, signal } = session;
  await saveStream(await contentOf(session, id, format, signal), output);
  if (output !== undefined) reporter.screen.text(`The report is in ${output}.`);
  return 0;
}

async function contentOf({ sluice }: ImportSession, id: string, format: Format, signal: AbortSignal) {
  if (format === "csv" || format === "html") return sluice.readImportFile(id, `report.${format}`, signal);
  const { data } = await sluice.get("/v1/imports/{importId}/report", { ...ofBatch(id), signal });
  const content = format === "json" ? JSON.stringify(data, null, 2) : textOf(data);
  return new Blob([`${content}\n`]).stream();
}

function textOf(report: BatchReport): string {
  const batch = report.import;
  const problem = problemText(batch);
  const head = [
    `  Batch ${batch.id}, ${batch.status}: ${countsText(batch)}`,
    ...(problem === null ? [] : [`  ${problem}`]),
    "",
  ];
  return [...head, ...reportLines(report)].join("\n");
}

export const report = defineImportCommand({
  name: "import report",
  summary: "shows what a batch will do, or has done",
  argument: "ID",
  about:
    "Shows what a batch will do, or has done, and why items failed. The HTML is one file that can be sent to somebody.",
  options: {
    format: oneOf("FORMAT", FORMATS, "text (the default), json, csv or html"),
    output: text("FILE", "instead of the standard output"),
  },
  notes: IMPORT_NOTES,
  run: ({ format = "text", output }, id) => run(id, format, output),
});
