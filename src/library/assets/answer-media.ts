import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { MediaAnswer } from "../../records/media.ts";
import type { AppContext } from "../../platform/http/router.ts";
import { toMp4Files } from "./mp4-files.ts";
import type { AssetRecord } from "./repository.ts";
import { toMedia } from "./to-media.ts";

/**
 * Media items as the generation of this client reads them: `mp4Support` is a text, and an array for the newest (media contract, differences
 * between SDK generations). `MP4_SUPPORT_ARRAY_CLIENTS` names those, because no published client says its generation.
 */
export function mediaFor(c: Context<AppContext>): (record: AssetRecord) => z.infer<typeof MediaAnswer> {
  const readsArrays = isNamed(c.env.MP4_SUPPORT_ARRAY_CLIENTS, c.req.header("user-agent") ?? "");
  return (record) => {
    const media = toMedia(record);
    if (!readsArrays) return media;
    const { mp4Support: _, ...others } = media;
    const files = toMp4Files(record.asset);
    return files === null ? others : { ...others, mp4Support: files };
  };
}

/** @param clients parts of the header `User-Agent`, separated by commas; `*` = all */
function isNamed(clients: string, userAgent: string): boolean {
  const client = userAgent.toLowerCase();
  const parts = clients.toLowerCase().split(",");
  return parts.map((part) => part.trim()).some((part) => part === "*" || (part !== "" && client.includes(part)));
}
