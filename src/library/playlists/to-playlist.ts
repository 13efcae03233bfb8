import type { z } from "@hono/zod-openapi";
import { recordOf } from "../../platform/http/record.ts";
import { toTimestamp } from "../../platform/timestamp.ts";
import { toMedia } from "../assets/index.ts";
import type { Playlist, PlaylistContent } from "./repository.ts";
import type { ListedPlaylist, PlaylistMedia, PlaylistRecord } from "./schemas.ts";

/** `type` is always present: clients choose the model by it (media contract, playlists). */
export function toPlaylist({ playlist, media }: PlaylistContent): z.infer<typeof PlaylistRecord> {
  return recordOf<z.infer<typeof PlaylistRecord>>({
    id: playlist.id,
    workspaceId: playlist.workspaceId,
    name: playlist.name,
    referenceId: playlist.referenceId,
    ...toKind(playlist),
    description: playlist.description,
    mediaCount: media.length,
    mediaList: media.map((record) => {
      const { thumbnail, id, title, creatorId, status, duration, sourceResolution, createdAt } = toMedia(record);
      return recordOf<z.infer<typeof PlaylistMedia>>({
        thumbnail,
        id,
        title,
        creatorId,
        status,
        duration,
        sourceResolution,
        createdAt,
      });
    }),
    createdAt: toTimestamp(playlist.createdAt),
    updatedAt: toTimestamp(playlist.updatedAt),
  });
}

/** A smart playlist always has its order and its criteria (`CreatePlaylist`). */
const toKind = ({ playOrder, criteria }: Playlist) =>
  playOrder === null || criteria === null
    ? { type: "manual" as const }
    : { type: "smart" as const, playOrder, metadata: criteria };

export const toListedPlaylist = (
  { id, name, type, referenceId, createdAt }: Playlist,
  mediaCount: number,
): z.infer<typeof ListedPlaylist> => ({ id, name, type, referenceId, createdAt: toTimestamp(createdAt), mediaCount });
