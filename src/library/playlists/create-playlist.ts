import { commit, openDatabase } from "../../platform/database.ts";
import { success } from "../../platform/http/answers.ts";
import type { CreateContext } from "../../platform/http/idempotency.ts";
import { Problem } from "../../platform/http/problems.ts";
import { log } from "../../platform/log.ts";
import { countPlaylists, insertPlaylist, isReferenceTaken, mediaOf, type Playlist } from "./repository.ts";
import type { CreatePlaylist } from "./schemas.ts";
import { toPlaylist } from "./to-playlist.ts";

const PLAYLISTS_PER_WORKSPACE = 1000;

/** @throws {Problem} playlist_reference_taken, playlist_limit_reached */
export async function createPlaylist(body: CreatePlaylist, { env, workspaceId, now, keep }: CreateContext) {
  const db = openDatabase(env.DB);
  if (await isReferenceTaken(db, workspaceId, body.referenceId)) throw referenceTaken();
  // Concurrent requests may exceed the limit by their number.
  if ((await countPlaylists(db, workspaceId)) >= PLAYLISTS_PER_WORKSPACE)
    throw new Problem("playlist_limit_reached", `a workspace has at most ${PLAYLISTS_PER_WORKSPACE} playlists`);
  const playlist = newPlaylist(body, workspaceId, now);
  const media = await mediaOf(db, playlist);
  const created = { id: playlist.id, answer: success(toPlaylist({ playlist, media })) };
  try {
    await commit(env.DB, [insertPlaylist(db, playlist), ...(await keep(created))]);
  } catch (error) {
    if (await isReferenceTaken(db, workspaceId, body.referenceId)) throw referenceTaken();
    throw error;
  }
  log("playlist.created", { playlistId: playlist.id, workspaceId });
  return created;
}

const referenceTaken = () =>
  new Problem("playlist_reference_taken", "another playlist of the workspace has this referenceId");

function newPlaylist(body: CreatePlaylist, workspaceId: string, now: Date): Playlist {
  const { name, referenceId, type, description = null, limit } = body;
  return {
    id: crypto.randomUUID(),
    workspaceId,
    name,
    referenceId,
    type,
    description,
    mediaLimit: limit,
    playOrder: body.type === "smart" ? body.playOrder : null,
    criteria: body.type === "smart" ? body.metadata : null,
    createdAt: now,
    updatedAt: now,
  };
}
