import { nearestName } from "../../../../protocol/nearest-name.ts";
import type { Command } from "../../terminal/command.ts";
import { hasTerminal } from "../../terminal/prompt.ts";
import { CommandError, UsageError } from "../../terminal/usage-error.ts";
import { writeTextPrivately } from "../../session/write-privately.ts";
import { alignedLines } from "../../terminal/command-line.ts";
import { BATCH_COMMANDS } from "./all.ts";
import { defineImportCommand } from "../define.ts";
import { IMPORT_NOTES } from "../help.ts";
import { accompany, NothingFound } from "../live/accompany.ts";
import type { BatchOrder, BatchSelection, BatchSettings, BatchSource } from "../records.ts";
import { type ImportSession, ofBatch, openImports } from "../session.ts";
import type { SourceKind } from "../sources.ts";
import { chooseCredential } from "../start/choose-credential.ts";
import { credentialOrigin } from "../start/credential-origin.ts";
import { listOrigin, listSource } from "../start/list-source.ts";
import { type Given, OPTIONS } from "../start/options.ts";
import { askSelection, givenSelection } from "../start/selection.ts";
import { askSettings, givenSettings } from "../start/settings.ts";
import { askSourceKind, requireOwnOptions, sourceOptions } from "../start/source-options.ts";

const ABOUT = `Brings the videos of another platform over: asks for the source, its credentials, which videos and how, makes a dry run, shows
what would happen, and starts after a question. Then it shows the batch until Ctrl-C, which leaves it running.

Secrets are typed without an echo, read from the environment (MUX_TOKEN_SECRET, AWS_SECRET_ACCESS_KEY, CLOUDFLARE_API_TOKEN,
API_VIDEO_API_KEY, VIMEO_ACCESS_TOKEN, with the ids beside them), or from a file: never from an option, which other users could see.
Without a terminal, give --source, what it needs, and --dry-run or --yes.`;

async function run(given: Given): Promise<number> {
  const now = new Date();
  const canAsk = hasTerminal();
  const isGuided = canAsk && !given.yes && !given.json;
  const [selected, settled] = [givenSelection(given, now), givenSettings(given)];
  if (!canAsk) requireDecision(given);
  if (given["status-secret-file"] !== undefined && given["status-url"] === undefined)
    throw new UsageError("--status-secret-file belongs to --status-url.");
  const kind = given.source ?? (await askSourceKind());
  requireOwnOptions(given, kind);
  const origin = credentialOrigin(given, kind, { env: process.env, canAsk });
  const source = await sourceOf(kind, given, isGuided);
  const session = await openImports(given.json);
  const opened = await source(session);
  const credential = await chooseCredential(session, origin, {
    source: opened,
    isKept: given["keep-credential"],
    isGuided,
  });
  let importId: string;
  try {
    const selection = selected ?? (isGuided ? await askSelection(now) : {});
    const settings = settled ?? (isGuided ? await askSettings() : {});
    importId = await create(session, given, { source: opened, credentialId: credential.id, selection, settings });
  } catch (error) {
    await Promise.all([credential.forget(), forgetList(session, opened)]);
    throw error;
  }
  const start = given["dry-run"] ? "never" : given.yes ? "always" : "ask";
  try {
    return await accompany(session, importId, { start, isDetached: given.detach });
  } catch (error) {
    if (error instanceof NothingFound) await discard(session, importId);
    throw error;
  }
}

/** Ends a batch that has nothing to do, and with it the credentials that were stored for it. */
async function discard({ sluice, signal }: ImportSession, importId: string): Promise<void> {
  await sluice.post("/v1/imports/{importId}/cancel", { ...ofBatch(importId), signal }).catch(() => undefined); // it is cancelled anyway after 30 days
}

/** @throws {UsageError} when nobody can be asked whether the batch is to start */
function requireDecision({ "dry-run": isDry, yes }: Given): void {
  if (!isDry && !yes)
    throw new UsageError(
      "Give --dry-run to see the report alone, or --yes to start after the dry run: there is no terminal to ask.",
    );
}

/** What is missing is asked for, or refused, before anything is sent. */
async function sourceOf(
  kind: SourceKind,
  given: Given,
  isGuided: boolean,
): Promise<(session: ImportSession) => Promise<BatchSource>> {
  if (kind === "list") {
    const origin = await listOrigin(given);
    return (session) => listSource(session, origin, given.format);
  }
  const options = await sourceOptions(kind, given, isGuided);
  return async () => options;
}

/** Deletes the list that was sent for a batch that is not created after all. */
async function forgetList({ sluice }: ImportSession, source: BatchSource): Promise<void> {
  if (source.type !== "list" || source.listId === undefined) return;
  const params = { path: { listId: source.listId } };
  await sluice.delete("/v1/imports/lists/{listId}", { params }).catch(() => undefined); // it is deleted anyway after 30 days
}

interface Chosen {
  source: BatchSource;
  credentialId: string | null;
  selection: BatchSelection;
  settings: BatchSettings;
}

/** Creates the batch as a dry run. @returns its id */
async function create({ sluice, reporter, signal }: ImportSession, given: Given, chosen: Chosen): Promise<string> {
  const { credentialId, ...order } = chosen;
  const statusUrl = given["status-url"];
  const body: BatchOrder = {
    ...order,
    ...(credentialId !== null && { credentialId }),
    ...(statusUrl !== undefined && { statusUrl }),
    dryRun: true,
  };
  const { data } = await sluice.post("/v1/imports", { body, signal });
  reporter.say({ kind: "created", importId: data.id, source: order.source.type }, (screen) =>
    screen.step("Batch", "", data.id),
  );
  if (data.statusWebhook !== undefined) {
    const path = given["status-secret-file"] ?? `sluice-import-${data.id}.secret`;
    await writeTextPrivately(path, `${data.statusWebhook.secret}\n`);
    const { id: webhookId } = data.statusWebhook;
    reporter.say({ kind: "status_webhook", webhookId, secretFile: path }, (screen) =>
      screen.text(
        `The secret that signs events to the status URL is in ${path}, readable only by you. It is not shown again.`,
      ),
    );
  }
  return data.id;
}

const BATCHES_HELP = `With a batch that exists (each has --help):

${alignedLines(Object.entries(BATCH_COMMANDS).map(([name, { summary }]) => [`sluice ${name}`, summary] as const))}`;

const command = defineImportCommand({
  name: "import",
  summary: "brings a whole library over from another platform",
  forms: "[--source KIND] [OPTION…]",
  about: ABOUT,
  options: OPTIONS,
  notes: `${BATCHES_HELP}\n\n${IMPORT_NOTES}`,
  run,
});

/** @throws {CommandError} for a misspelt command of a batch, which would else be an argument too many */
function requireCommand(word: string | undefined): void {
  if (word === undefined || word.startsWith("-")) return;
  const names = Object.keys(BATCH_COMMANDS);
  const meant = nearestName(`import ${word}`, names);
  const hint = meant === null ? `There are ${names.join(", ")}.` : `Did you mean "${meant}"?`;
  throw new CommandError(`There is no command "import ${word}". ${hint}`);
}

export const importLibrary: Command = {
  ...command,
  run: async (args) => {
    requireCommand(args[0]);
    return await command.run(args);
  },
};
