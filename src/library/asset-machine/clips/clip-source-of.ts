import { planLadder } from "../../../../protocol/ladder.ts";
import type { ClipSource } from "../../encoding/clip-cut.ts";
import type { AssetComponents } from "../core/components.ts";

/** What clips of this asset are cut from; null = it is not encoded, or gone. A clip of a clip is cut from what the first one was cut from. */
export function clipSourceOf({ documents }: AssetComponents): ClipSource | null {
  const asset = documents.get("asset");
  const plan = documents.get("plan");
  const cut = documents.get("clip");
  if (asset === undefined || plan === undefined || documents.get("stage") !== "done") return null;
  if (cut !== undefined) return { ...cut.source, startMs: cut.startMs, endMs: cut.endMs };
  const { video } = plan;
  const { maxResolution, mediaQuality } = asset;
  return {
    ownerId: asset.id,
    startMs: 0,
    endMs: null,
    fileRange: { startMs: asset.clipStartMs, endMs: asset.clipEndMs },
    ...(plan.montage === undefined ? {} : { montage: { ...plan.montage, sounds: [], soundTakes: [] } }),
    ...(plan.watermark === undefined ? {} : { watermark: plan.watermark }),
    video: video && {
      source: video.source,
      grid: video.grid,
      // The rung for which the source itself stands is not in the plan.
      ladder: [
        ...(documents.get("skipTopRung") === true
          ? planLadder(video.source, video.grid.frameRate, maxResolution, mediaQuality).slice(0, 1)
          : []),
        ...video.rungs,
      ],
      holdsLastPicture: video.holdsLastPicture,
    },
  };
}
