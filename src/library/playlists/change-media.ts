import { commit, type Database, openDatabase, type Statement } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import {
  appendMedia,
  assetsOf,
  findPlaylist,
  knownMedia,
  mediaOf,
  orderMedia,
  type Playlist,
  type PlaylistContent,
  removeMedia,
  touchPlaylist,
} from "./repository.ts";

/**
 * Changes the media of a manual playlist. Null when the workspace has no such playlist.
 *
 * @throws {Problem} media_not_found: the workspace does not have each of the media; validation_failed: a smart playlist
 */
type ChangeMedia = (
  env: Env,
  key: { workspaceId: string; playlistId: string },
  mediaIds: string[],
  now: Date,
) => Promise<PlaylistContent | null>;

/** Appends media in the given order. @throws {Problem} validation_failed: more media than the playlist's limit */
export const addMedia = changeBy(appendMedia, async (db, playlist, ids) => {
  const current = await currentIds(db, playlist);
  const total = current.size + ids.filter((id) => !current.has(id)).length;
  if (total > playlist.mediaLimit) throw invalidIds(`would make more than ${playlist.mediaLimit} media`);
});

/** Sets the order. @throws {Problem} validation_failed: not exactly the media of the playlist */
export const reorderMedia = changeBy(orderMedia, async (db, playlist, ids) => {
  const current = await currentIds(db, playlist);
  if (ids.length !== current.size || !ids.every((id) => current.has(id)))
    throw invalidIds("must be the media of the playlist, in their new order");
});

/** Takes media out; those that the playlist does not have are ignored. */
export const takeOutMedia = changeBy(removeMedia, async () => {});

function changeBy(
  statement: (db: Database, playlistId: string, ids: string[]) => Statement,
  check: (db: Database, playlist: Playlist, ids: string[]) => Promise<void>,
): ChangeMedia {
  return async (env, { workspaceId, playlistId }, mediaIds, now) => {
    const db = openDatabase(env.DB);
    const playlist = await findPlaylist(db, workspaceId, playlistId);
    if (playlist === null) return null;
    if (playlist.type === "smart") throw invalidIds("cannot be set: the media of a smart playlist follow its criteria");
    const ids = [...new Set(mediaIds.map((id) => id.toLowerCase()))];
    const known = await knownMedia(db, workspaceId, ids);
    if (known.size < ids.length) throw unknownMedia(mediaIds, known);
    await check(db, playlist, ids);
    await commit(env.DB, [statement(db, playlist.id, ids), touchPlaylist(db, playlist.id, now)]);
    const changed = { ...playlist, updatedAt: now };
    return { playlist: changed, media: await mediaOf(db, changed) };
  };
}

/** The positions that are named. */
const MAX_NAMED = 20;

/** The contract's 404 has no `fields`, so the description says which elements. Not their ids: the answer is the same for ids of other workspaces. */
function unknownMedia(mediaIds: string[], known: Set<string>): Problem {
  const unknown = mediaIds.flatMap((id, index) => (known.has(id.toLowerCase()) ? [] : [`mediaIds[${index}]`]));
  const more = unknown.length > MAX_NAMED ? ` and ${unknown.length - MAX_NAMED} more` : "";
  return new Problem(
    "media_not_found",
    `the workspace has no media of ${unknown.slice(0, MAX_NAMED).join(", ")}${more}`,
  );
}

const currentIds = async (db: Database, playlist: Playlist) =>
  new Set((await assetsOf(db, playlist)).map(({ id }) => id));

const invalidIds = (message: string) =>
  new Problem("validation_failed", message, { fields: [{ field: "mediaIds", message }] });
