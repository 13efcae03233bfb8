/** `npm run credential`: the API credentials of an installation's workspaces. */
import { text } from "../sdk/cli/terminal/command-line.ts";
import { runScript } from "./command/script.ts";
import {
  createCredential,
  type Database,
  listCredentials,
  listWorkspaces,
  revokeCredential,
} from "./workspaces/database.ts";
import { StartError } from "./local/settings.ts";
import { withDatabase } from "./workspaces/open.ts";
import { dateOf, printCredential } from "./workspaces/print.ts";
import { checkName, nameOf, optionsOf, TARGET_OPTIONS, targetOf } from "./workspaces/target.ts";

const CREDENTIAL = {
  name: "credential",
  verbs: {
    create: {
      does: "creates a credential, which is shown once",
      argument: { name: "NAME", what: "A name", isOptional: true },
    },
    list: { does: "lists the credentials of all workspaces" },
    revoke: {
      does: "revokes a credential; it stops working within five seconds",
      argument: { name: "ID", what: "The credential's id" },
    },
  },
  options: {
    workspace: text("ID", "of create: the workspace, if there are several; of list: only its credentials"),
    ...TARGET_OPTIONS,
  },
} as const;

/**
 * @param options the options that choose the installation, for the commands in messages
 * @throws {StartError} when the workspace does not exist, or when there are several and none is named
 */
async function chooseWorkspace(database: Database, id: string | undefined, options: string): Promise<string> {
  const workspaces = await listWorkspaces(database);
  const chosen = id === undefined ? workspaces : workspaces.filter((workspace) => workspace.id === id);
  if (chosen.length === 1) return chosen[0]!.id;
  const list = workspaces.map((workspace) => `  ${workspace.id}  ${workspace.name}`).join("\n");
  if (workspaces.length === 0)
    throw new StartError(`There is no workspace. Create one with npm run workspace -- create NAME${options}.`);
  throw new StartError(
    `${id === undefined ? "There are several workspaces" : `No workspace has the id ${id}`}. Name one with --workspace:\n${list}`,
  );
}

/** @throws {StartError} when the credential does not exist or is already revoked */
async function revoke(database: Database, id: string, options: string): Promise<void> {
  if (await revokeCredential(database, id)) return;
  const known = (await listCredentials(database)).find((credential) => credential.id === id);
  throw new StartError(
    known === undefined || known.revoked_at === null
      ? `No credential has the id ${id}. npm run credential -- list${options} shows all of them.`
      : `${id} is revoked already, since ${dateOf(known.revoked_at)}.`,
  );
}

await runScript(CREDENTIAL, async ({ workspace, ...chosenTarget }, [verb, argument]) => {
  const target = targetOf(chosenTarget);
  const options = optionsOf(target);
  checkName(argument);
  if (verb === "create") {
    const made = await withDatabase(target, async (database) => {
      const workspaceId = await chooseWorkspace(database, workspace, options);
      return { workspaceId, credential: await createCredential(database, workspaceId, argument ?? "Created by hand") };
    });
    console.log(`Created a credential in ${nameOf(target)}.\n`);
    printCredential(made.workspaceId, made.credential);
  } else if (verb === "list") {
    const listed = await withDatabase(target, async (database) => {
      const chosen = workspace === undefined ? null : await chooseWorkspace(database, workspace, options);
      return (await listCredentials(database)).filter((one) => chosen === null || one.workspace_id === chosen);
    });
    for (const { id, workspace_id, name, created_at, revoked_at } of listed)
      console.log(
        `${id}  ${dateOf(created_at)}  workspace ${workspace_id}  ${name}${revoked_at === null ? "" : `  revoked ${dateOf(revoked_at)}`}`,
      );
  } else {
    await withDatabase(target, (database) => revoke(database, argument!, options));
    console.log(`Revoked ${argument} in ${nameOf(target)}. It stops working within five seconds.`);
  }
});
