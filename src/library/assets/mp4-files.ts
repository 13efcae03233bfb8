import type { z } from "@hono/zod-openapi";
import { planLadder } from "../../../protocol/ladder.ts";
import type { Mp4File } from "../../records/media.ts";
import { recordOf } from "../../platform/http/record.ts";
import type { Asset } from "./repository.ts";

type Facts = Pick<Asset, "mp4Support" | "status" | "widthPx" | "heightPx" | "maxResolution" | "mediaQuality">;

const STATUS = { ready: "ready", errored: "failed" } as const;
const ANY_RATE = { num: 30, den: 1 }; // the sizes of a ladder do not depend on it

/** `mp4Support` as the newest clients read it (media contract, Records): one entry per file. @returns null when none was asked for */
export function toMp4Files({ mp4Support, status, ...asset }: Facts): z.infer<typeof Mp4File>[] | null {
  if (mp4Support === null) return null;
  const state = status === "ready" || status === "errored" ? STATUS[status] : ("preparing" as const);
  const files: z.infer<typeof Mp4File>[] = [];
  if (mp4Support.includes("audioOnly")) files.push({ type: "audioOnly", status: state, ext: "m4a" });
  if (mp4Support.includes("capped_4k"))
    files.push(
      recordOf<z.infer<typeof Mp4File>>({ type: "capped_4k", status: state, ...pictureSize(asset), ext: "mp4" }),
    );
  return files;
}

function pictureSize({ widthPx, heightPx, maxResolution, mediaQuality }: Omit<Facts, "mp4Support" | "status">) {
  if (!widthPx || !heightPx) return { width: null, height: null };
  const [largest] = planLadder({ widthPx, heightPx }, ANY_RATE, maxResolution, mediaQuality);
  return { width: largest?.widthPx, height: largest?.heightPx };
}
