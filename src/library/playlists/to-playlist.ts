import type { z } from "@hono/zod-openapi";
import { withoutUnset } from "../../platform/http/record.ts";
import { toTimestamp } from "../../platform/timestamp.ts";
import { toMedia } from "../assets/index.ts";
import type { Playlist, PlaylistContent } from "./repository.ts";
import type { ListedPlaylist, PlaylistRecord } from "./schemas.ts";

/** `type` is always present: clients choose the model by it (media contract, playlists). */
export function toPlaylist({ playlist, media }: PlaylistContent): z.infer<typeof PlaylistRecord> {
  const { playOrder, criteria } = playlist;
  return withoutUnset({
    id: playlist.id,
    workspaceId: playlist.workspaceId,
    name: playlist.name,
    referenceId: playlist.referenceId,
    type: playlist.type,
    description: playlist.description,
    playOrder,
    metadata: criteria,
    mediaCount: media.length,
    mediaList: media.map((record) => {
      const { thumbnail, id, title, creatorId, status, duration, sourceResolution, createdAt } = toMedia(record);
      return withoutUnset({ thumbnail, id, title, creatorId, status, duration, sourceResolution, createdAt });
    }),
    createdAt: toTimestamp(playlist.createdAt),
    updatedAt: toTimestamp(playlist.updatedAt),
  }) as z.infer<typeof PlaylistRecord>;
}

export const toListedPlaylist = (
  { id, name, type, referenceId, createdAt }: Playlist,
  mediaCount: number,
): z.infer<typeof ListedPlaylist> => ({ id, name, type, referenceId, createdAt: toTimestamp(createdAt), mediaCount });
