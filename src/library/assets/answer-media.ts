import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { MediaAnswer } from "../../records/media.ts";
import type { AppContext } from "../../platform/http/router.ts";
import { toMp4Files } from "./mp4-files.ts";
import { isNamedClient } from "./named-clients.ts";
import type { AssetRecord } from "./repository.ts";
import { toMedia } from "./to-media.ts";

/**
 * Media items as the generation of this client reads them: `mp4Support` is a text, and an array for the newest (media contract, differences
 * between SDK generations). `MP4_SUPPORT_ARRAY_CLIENTS` names those.
 */
export function mediaFor(c: Context<AppContext>): (record: AssetRecord) => z.infer<typeof MediaAnswer> {
  const readsArrays = isNamedClient(c.env.MP4_SUPPORT_ARRAY_CLIENTS, c.req.header("user-agent") ?? "");
  return (record) => {
    const media = toMedia(record);
    if (!readsArrays) return media;
    const { mp4Support: _, ...others } = media;
    const files = toMp4Files(record.asset);
    return files === null ? others : { ...others, mp4Support: files };
  };
}
