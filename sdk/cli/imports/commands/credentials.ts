import { flag } from "../../terminal/command-line.ts";
import { plain } from "../../terminal/units.ts";
import { CommandError } from "../../terminal/usage-error.ts";
import { defineImportCommand } from "../define.ts";
import { IMPORT_NOTES } from "../help.ts";
import { askYes } from "../questions.ts";
import type { StoredCredential } from "../records.ts";
import { openImports } from "../session.ts";
import { credentialName } from "../start/choose-credential.ts";

const PAGE = 50;

async function list(isJson: boolean): Promise<number> {
  const { sluice, signal } = await openImports(isJson);
  let count = 0;
  for await (const one of sluice.list("/v1/imports/credentials", { params: { query: { limit: PAGE } }, signal })) {
    console.log(isJson ? JSON.stringify(one) : lineOf(one));
    count += 1;
  }
  if (count === 0 && !isJson) console.log("The platform has no credentials of sources.");
  return 0;
}

/** Creation, source, id, account, and what the last check found. */
function lineOf(credential: StoredCredential): string {
  const { createdAt, source, credentialId, keep, lastCheck } = credential;
  const created = createdAt.slice(0, 16).replace("T", " ");
  const check = lastCheck === undefined ? "not checked" : lastCheck.ok ? "accepted" : "refused or incomplete";
  const life = keep ? "kept" : "deleted with its batch";
  return `${created}  ${source.padEnd(17)} ${credentialId}  ${plain(credentialName(credential))}, ${check}, ${life}`;
}

export const credentials = defineImportCommand({
  name: "import credentials",
  summary: "lists the credentials of sources that the platform has",
  about: "Lists the credentials of sources that the platform has. The secrets themselves are never shown.",
  options: { json: flag("prints each one as a line of JSON") },
  notes: IMPORT_NOTES,
  run: ({ json }) => list(json),
});

export const credentialsDelete = defineImportCommand({
  name: "import credentials delete",
  summary: "deletes credentials of a source",
  argument: "ID",
  about: "Deletes credentials of a source, after a question. A batch that still needs them is paused.",
  options: { yes: flag("asks nothing"), json: flag("prints one JSON object") },
  notes: IMPORT_NOTES,
  async run({ yes, json }, credentialId) {
    const { sluice, reporter, signal } = await openImports(json);
    if (!yes && !(await askYes(`Delete the credentials ${credentialId}`, "--yes", false)))
      throw new CommandError("The credentials were not deleted.");
    await sluice.delete("/v1/imports/credentials/{credentialId}", { params: { path: { credentialId } }, signal });
    reporter.say({ kind: "deleted", credentialId }, (screen) => screen.text("The credentials were deleted."));
    return 0;
  },
});
