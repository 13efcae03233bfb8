/** `npm run data:move`: moves the views of a workspace to the distributed engine, and back. */
import { STREAM_SCHEMA } from "../src/analytics/store/stream-schema.ts";
import { runScript } from "./command/script.ts";
import { listSecrets } from "./deploy/inventory.ts";
import { loadDeploySettings } from "./deploy/settings.ts";
import { Wrangler } from "./deploy/wrangler.ts";
import { StartError } from "./local/settings.ts";
import { withDatabase } from "./workspaces/open.ts";
import { nameOf, optionsOf, type Target, TARGET_OPTIONS, targetOf } from "./workspaces/target.ts";
import { type Change, listViewStores, setViewStore, type ViewStore } from "./workspaces/view-stores.ts";

const ID = { name: "WORKSPACE", what: "The workspace's id" };
const DATA_MOVE = {
  name: "data:move",
  verbs: {
    start: { does: "copies the workspace's views to R2 SQL, and switches when the counts agree", argument: ID },
    back: { does: "copies them back from R2 SQL, and switches when the stores have all of them", argument: ID },
    stop: { does: "ends a copy before the switch, in either direction", argument: ID },
    status: { does: "lists the workspaces with the engine of their views, and how far a copy is" },
    schema: { does: "prints the schema of the stream" },
  },
  options: TARGET_OPTIONS,
  notes: "docs/guides/video-data.md says when to do so, and what is needed.",
};

/** Names of the settings that the distributed engine needs and the installation lacks. */
async function missingIn(target: Target): Promise<string[]> {
  if (target.remote !== true) return ["R2_SQL_URL", "R2_SQL_TABLE", "R2_SQL_TOKEN", "VIEW_STREAM"];
  const settings = await loadDeploySettings(target.config);
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
async function requireEngine(target: Target): Promise<void> {
  const missing = await missingIn(target);
  if (missing.length === 0) return;
  const verb = missing.length === 1 ? "is" : "are";
  throw new StartError(
    `${nameOf(target)} has no distributed engine: ${missing.join(", ")} ${verb} missing (docs/guides/video-data.md).`,
  );
}

/** Printed when a command changes nothing. */
const STATES: Record<ViewStore["view_store"], string> = {
  embedded: "The views of the workspace are in its stores.",
  moving: "The views of the workspace are being copied to R2 SQL",
  distributed: "The views of the workspace are in R2 SQL.",
  returning: "The views of the workspace are being copied back from R2 SQL",
};

/** Repeatable: does nothing to a workspace that is already in the wanted state, or on its way to it. @throws {StartError} */
async function change(
  workspaceId: string,
  target: Target,
  { from, to, isFine, done }: Change & { isFine: readonly ViewStore["view_store"][]; done: string },
): Promise<void> {
  const found = await withDatabase(target, (database) => setViewStore(database, workspaceId, { from, to }));
  if (found === null)
    throw new StartError(
      `No workspace has the id ${workspaceId}. npm run data:move -- status${optionsOf(target)} lists them.`,
    );
  if (found.isChanged) return console.log(done);
  const { view_store, view_store_progress } = found;
  const state = STATES[view_store];
  const words = state.endsWith(".")
    ? state
    : `${state}${view_store_progress === null ? "" : `: ${view_store_progress}`}.`;
  if (!isFine.includes(view_store)) throw new StartError(`${words} Nothing was changed.`);
  console.log(words);
}

const saysHowFar = (target: Target) => `npm run data:move -- status${optionsOf(target)} says how far it is.`;

async function start(workspaceId: string, target: Target): Promise<void> {
  await requireEngine(target);
  await change(workspaceId, target, {
    from: "embedded",
    to: "moving",
    isFine: ["moving", "distributed"],
    done: `The Worker copies the views within hours. ${saysHowFar(target)}`,
  });
}

/** Needs the distributed engine until the views are back. */
async function back(workspaceId: string, target: Target): Promise<void> {
  await requireEngine(target);
  await change(workspaceId, target, {
    from: "distributed",
    to: "returning",
    isFine: ["returning", "embedded"],
    done: `The Worker copies the views back within hours. ${saysHowFar(target)}`,
  });
}

async function stop(workspaceId: string, target: Target): Promise<void> {
  const ways = [
    {
      from: "moving",
      to: "embedded",
      done: "The copy ends within half an hour. What was copied is not used; a later start continues from there.",
    },
    {
      from: "returning",
      to: "distributed",
      done: "The copy ends within minutes. What was copied is deleted again; a later back begins anew.",
    },
  ] as const;
  const states = new Map((await withDatabase(target, listViewStores)).map((row) => [row.id, row.view_store]));
  const way = ways.find(({ from }) => from === states.get(workspaceId)) ?? ways[0];
  await change(workspaceId, target, { ...way, isFine: ["embedded", "distributed"] });
}

const ACTIONS: Record<string, (workspaceId: string, target: Target) => Promise<void>> = { start, back, stop };

await runScript(DATA_MOVE, async (values, [verb = "", workspaceId = ""]) => {
  const target = targetOf(values);
  if (verb === "schema") console.log(JSON.stringify(STREAM_SCHEMA, null, 2));
  else if (verb === "status")
    for (const { id, name, view_store, view_store_progress } of await withDatabase(target, listViewStores))
      console.log([id, view_store, name, ...(view_store_progress === null ? [] : [view_store_progress])].join("  "));
  else await ACTIONS[verb]!(workspaceId, target);
});
