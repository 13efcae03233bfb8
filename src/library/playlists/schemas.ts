import { z } from "@hono/zod-openapi";
import { line, lines } from "../../platform/http/fields.ts";
import { hinted } from "../../platform/http/hints/issue-hints.ts";

/** The most media of a playlist. */
const MEDIA_PER_PLAYLIST = 1000;

const text = lines(255);
const name = line(255).min(1);
const limit = z.int().min(1).max(MEDIA_PER_PLAYLIST).default(MEDIA_PER_PLAYLIST);
const day = z.iso.date().openapi({ example: "2026-05-20" });
const dayRange = z
  .object({ startDate: day.optional(), endDate: day.optional() })
  .refine(
    ({ startDate, endDate }) => !startDate || !endDate || startDate <= endDate,
    hinted("is invalid", "must have a `startDate` that is not after `endDate`"),
  );

const PlayOrder = z.enum(["createdDate ASC", "createdDate DESC"]);
const Criteria = z.object({ createdDate: dayRange.optional(), updatedDate: dayRange.optional() });

const common = {
  name,
  referenceId: name.openapi({ description: "An id of your own, unique in the workspace" }),
  description: text.optional(),
  limit,
};
export const CreatePlaylist = z
  .discriminatedUnion("type", [
    z.object({ ...common, type: z.literal("manual") }),
    z.object({ ...common, type: z.literal("smart"), playOrder: PlayOrder, metadata: Criteria }),
  ])
  .openapi("CreatePlaylist");
export type CreatePlaylist = z.infer<typeof CreatePlaylist>;

export const UpdatePlaylist = z.object({ name, description: text }).openapi("UpdatePlaylist");

export const PlaylistMediaIds = z
  .object({ mediaIds: z.array(z.uuid()).min(1).max(MEDIA_PER_PLAYLIST) })
  .openapi("PlaylistMediaIds");

export const PlaylistMedia = z
  .object({
    thumbnail: z.url().optional(),
    id: z.uuid(),
    title: z.string().optional(),
    creatorId: z.string().optional(),
    status: z.string(),
    duration: z.string().optional(),
    sourceResolution: z.string().optional(),
    createdAt: z.string(),
  })
  .openapi("PlaylistMedia");

const record = {
  id: z.uuid(),
  workspaceId: z.uuid(),
  name: z.string(),
  referenceId: z.string(),
  description: z.string().optional(),
  mediaCount: z.int(),
  mediaList: z.array(PlaylistMedia),
  createdAt: z.string(),
  updatedAt: z.string(),
};
export const PlaylistRecord = z
  .discriminatedUnion("type", [
    z.object({ ...record, type: z.literal("manual") }),
    z.object({ ...record, type: z.literal("smart"), playOrder: PlayOrder, metadata: Criteria }),
  ])
  .openapi("Playlist");

export const ListedPlaylist = z
  .object({
    id: z.uuid(),
    name: z.string(),
    type: z.enum(["manual", "smart"]),
    referenceId: z.string(),
    createdAt: z.string(),
    mediaCount: z.int(),
  })
  .openapi("ListedPlaylist");
