/** `npm run workspace`: the workspaces of an installation. */
import { runScript } from "./command/script.ts";
import { createWorkspace, listWorkspaces } from "./workspaces/database.ts";
import { dateOf, printCredential } from "./workspaces/print.ts";
import { withDatabase } from "./workspaces/open.ts";
import { checkName, nameOf, TARGET_OPTIONS, targetOf } from "./workspaces/target.ts";

const WORKSPACE = {
  name: "workspace",
  verbs: {
    create: {
      does: "creates a workspace with its first credential, which is shown once",
      argument: { name: "NAME", what: "A name" },
    },
    list: { does: "lists the workspaces" },
  },
  options: TARGET_OPTIONS,
};

await runScript(WORKSPACE, async (values, [verb, name = ""]) => {
  const target = targetOf(values);
  if (verb === "create") {
    checkName(name);
    const { workspaceId, credential } = await withDatabase(target, (database) => createWorkspace(database, name));
    console.log(`Created the workspace "${name}" in ${nameOf(target)}.\n`);
    printCredential(workspaceId, credential);
  } else {
    for (const { id, name, created_at } of await withDatabase(target, listWorkspaces))
      console.log(`${id}  ${dateOf(created_at)}  ${name}`);
  }
});
