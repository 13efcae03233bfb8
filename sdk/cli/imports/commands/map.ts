import { oneOf, text } from "../../terminal/command-line.ts";
import { defineImportCommand } from "../define.ts";
import { IMPORT_NOTES } from "../help.ts";
import { openImports } from "../session.ts";
import { saveStream } from "./save.ts";

const FORMATS = ["csv", "json", "ndjson"] as const;

async function run(id: string, format: (typeof FORMATS)[number], output: string | undefined): Promise<number> {
  const { sluice, reporter, signal } = await openImports(false);
  await saveStream(await sluice.readImportFile(id, `map.${format}`, signal), output);
  if (output !== undefined) reporter.screen.text(`The ids are in ${output}.`);
  return 0;
}

export const map = defineImportCommand({
  name: "import map",
  summary: "downloads which new ids the videos have",
  argument: "ID",
  about: "Downloads the old and new ids of a batch: source id, old playback ID, media id, new playback ID, status.",
  options: {
    format: oneOf("FORMAT", FORMATS, "csv (the default), json or ndjson"),
    output: text("FILE", "instead of the standard output"),
  },
  notes: IMPORT_NOTES,
  run: ({ format = "csv", output }, id) => run(id, format, output),
});
