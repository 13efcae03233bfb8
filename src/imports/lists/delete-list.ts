import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { emptyPrefix } from "../../platform/storage/empty-prefix.ts";
import { importListPrefix } from "../../platform/storage/keys.ts";
import { deleteListRow, findList, type ListKey } from "./repository.ts";

type ListEnv = Pick<Env, "DB" | "MEDIA">;

/** Deletes the objects of a list, then its row: should the Worker end in between, the sweep still finds it. Repeatable. */
export async function removeList(env: ListEnv, key: ListKey): Promise<void> {
  await emptyPrefix(env.MEDIA, importListPrefix(key.workspaceId, key.listId));
  await deleteListRow(openDatabase(env.DB), key);
}

/** @returns null when the workspace has no such list */
export async function deleteList(env: ListEnv, key: ListKey): Promise<"deleted" | null> {
  if ((await findList(openDatabase(env.DB), key)) === null) return null;
  await removeList(env, key);
  return "deleted";
}
