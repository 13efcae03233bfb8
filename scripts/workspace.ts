/** `npm run workspace`: the workspaces of an installation. */
import { parseCommand, runCommand } from "./workspaces/command.ts";
import { createWorkspace, listWorkspaces } from "./workspaces/database.ts";
import { dateOf, printCredential } from "./workspaces/print.ts";
import { nameOf, withDatabase } from "./workspaces/open.ts";

const USAGE = `npm run workspace -- create NAME   creates a workspace with its first credential, which is shown once
npm run workspace -- list          lists the workspaces

  --remote        of the deployment on Cloudflare, instead of the platform on this machine (npm start)
  --dev           of npm run dev
  --config FILE   the deployment's settings (sluice.config.json)`;

const VERBS = { create: { what: "A name" }, list: null } as const;

await runCommand(async () => {
  const { verb, rest, target } = parseCommand(USAGE, VERBS);
  const [name = ""] = rest;
  if (verb === "create") {
    const { workspaceId, credential } = await withDatabase(target, (database) => createWorkspace(database, name));
    console.log(`Created the workspace "${name}" in ${nameOf(target)}.\n`);
    printCredential(workspaceId, credential);
  } else {
    for (const { id, name, created_at } of await withDatabase(target, listWorkspaces))
      console.log(`${id}  ${dateOf(created_at)}  ${name}`);
  }
});
