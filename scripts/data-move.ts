/** `npm run data:move`: moves the views of a workspace to the distributed engine. */
import { STREAM_SCHEMA } from "../src/analytics/store/stream-schema.ts";
import { readBaseConfig } from "./deploy/config.ts";
import { listSecrets } from "./deploy/inventory.ts";
import { loadDeploySettings } from "./deploy/settings.ts";
import { Wrangler } from "./deploy/wrangler.ts";
import { StartError } from "./local/settings.ts";
import { optionsOf, parseCommand, runCommand } from "./workspaces/command.ts";
import { listViewStores, setViewStore } from "./workspaces/view-stores.ts";
import { nameOf, type Target, withDatabase } from "./workspaces/open.ts";

const USAGE = `npm run data:move -- start WORKSPACE   copies the workspace's views to R2 SQL, and switches when the counts agree
npm run data:move -- status            lists the workspaces with the engine of their views, and how far a copy is
npm run data:move -- stop WORKSPACE    ends a copy before the switch
npm run data:move -- schema            prints the schema of the stream

  --remote        of the deployment on Cloudflare, instead of the platform on this machine (npm start)
  --dev           of npm run dev
  --config FILE   the deployment's settings (sluice.config.json)

docs/guides/video-data.md says when to do so, and what is needed.`;

const WORKSPACE = { what: "The workspace's id" };
const VERBS = { start: WORKSPACE, status: null, stop: WORKSPACE, schema: null } as const;

/** What the installation lacks for the distributed engine, by name. */
async function missingIn(target: Target): Promise<string[]> {
  if (target.remote !== true) return ["R2_SQL_URL", "R2_SQL_TABLE", "R2_SQL_TOKEN", "VIEW_STREAM"];
  const base = await readBaseConfig();
  const settings = await loadDeploySettings(Object.keys(base.vars ?? {}), target.config);
  const secrets = await listSecrets(new Wrangler(settings.accountId), settings.name);
  const has = {
    "vars.R2_SQL_URL": settings.vars["R2_SQL_URL"],
    "vars.R2_SQL_TABLE": settings.vars["R2_SQL_TABLE"],
    viewStream: settings.viewStream,
    "the secret R2_SQL_TOKEN": secrets?.has("R2_SQL_TOKEN") === true ? "set" : undefined,
  };
  return Object.entries(has).flatMap(([name, value]) => (value ? [] : [name]));
}

/** @throws {StartError} */
async function start(workspaceId: string, target: Target): Promise<void> {
  const missing = await missingIn(target);
  if (missing.length > 0)
    throw new StartError(
      `${nameOf(target)} has no distributed engine: ${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} missing (docs/guides/video-data.md).`,
    );
  const changed = await withDatabase(target, (database) =>
    setViewStore(database, workspaceId, { from: "embedded", to: "moving" }),
  );
  if (!changed) throw new StartError(`No workspace has the id ${workspaceId} and an embedded engine.`);
  console.log(
    `The Worker copies the views within hours. npm run data:move -- status${optionsOf(target)} says how far it is.`,
  );
}

/** @throws {StartError} */
async function stop(workspaceId: string, target: Target): Promise<void> {
  const changed = await withDatabase(target, (database) =>
    setViewStore(database, workspaceId, { from: "moving", to: "embedded" }),
  );
  if (!changed) throw new StartError(`No workspace has the id ${workspaceId} and is being copied.`);
  console.log("The copy ends within half an hour. What was copied is not used; a later start continues from there.");
}

await runCommand(async () => {
  const { verb, rest, target } = parseCommand(USAGE, VERBS);
  const [workspaceId = ""] = rest;
  if (verb === "schema") console.log(JSON.stringify(STREAM_SCHEMA, null, 2));
  else if (verb === "start") await start(workspaceId, target);
  else if (verb === "stop") await stop(workspaceId, target);
  else
    for (const { id, name, view_store, view_store_progress } of await withDatabase(target, listViewStores))
      console.log([id, view_store, name, ...(view_store_progress === null ? [] : [view_store_progress])].join("  "));
});
