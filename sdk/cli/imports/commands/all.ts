import type { Command } from "../../terminal/command.ts";
import { attach } from "./attach.ts";
import { credentials, credentialsDelete } from "./credentials.ts";
import { credentialsAdd } from "./credentials-add.ts";
import { listBatches } from "./list.ts";
import { map } from "./map.ts";
import { cancel, pause, resume, start } from "./moves.ts";
import { report } from "./report.ts";
import { retry } from "./retry.ts";

/** What can be done with a batch that exists. `sluice import --help` lists them. */
export const BATCH_COMMANDS: Readonly<Record<string, Command>> = {
  "import attach": attach,
  "import list": listBatches,
  "import report": report,
  "import start": start,
  "import pause": pause,
  "import resume": resume,
  "import cancel": cancel,
  "import retry": retry,
  "import map": map,
  "import credentials": credentials,
  "import credentials add": credentialsAdd,
  "import credentials delete": credentialsDelete,
};
