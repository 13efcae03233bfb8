/** `npm run search`: the search indexes of an installation. */
import { runScript } from "./command/script.ts";
import { StartError } from "./local/settings.ts";
import { withDatabase } from "./workspaces/open.ts";
import { listSearchStates, rebuildSearch, type SearchState } from "./workspaces/search-changes.ts";
import { optionsOf, TARGET_OPTIONS, targetOf } from "./workspaces/target.ts";

const SEARCH = {
  name: "search",
  verbs: {
    rebuild: {
      does: "has the search index of a workspace made anew, of its media and captions",
      argument: { name: "WORKSPACE", what: "The workspace's id" },
    },
    status: { does: "lists the workspaces with the changes that their indexes have not taken over" },
  },
  options: TARGET_OPTIONS,
};

const stateOf = ({ changes, is_rebuilt }: SearchState): string =>
  is_rebuilt === 1
    ? "is made anew"
    : changes === 0
      ? "up to date"
      : `${changes} ${changes === 1 ? "change" : "changes"} waiting`;

await runScript(SEARCH, async (values, [verb, workspaceId = ""]) => {
  const target = targetOf(values);
  const status = `npm run search -- status${optionsOf(target)}`;
  if (verb === "rebuild") {
    const isFound = await withDatabase(target, (database) => rebuildSearch(database, workspaceId));
    if (!isFound) throw new StartError(`No workspace has the id ${workspaceId}. ${status} lists them.`);
    console.log(
      `The Worker makes the index anew within minutes; until then, searches find a part. ${status} says whether it is done.`,
    );
  } else {
    for (const state of await withDatabase(target, listSearchStates))
      console.log(`${state.id}  ${stateOf(state)}  ${state.name}`);
  }
});
