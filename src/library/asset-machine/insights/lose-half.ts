import type { ModerationHalf } from "../../../ai/moderation/index.ts";
import type { AssetError } from "../../assets/asset-error.ts";
import type { AssetComponents } from "../core/components.ts";
import type { PendingInsight } from "../core/insight-store.ts";
import { logFailed } from "../core/log-failed.ts";
import { stillPending } from "./ask-counted.ts";
import { leavePictures } from "./old-sheets.ts";
import { failInsight } from "./take-insight.ts";

/**
 * The pictures of a media, or what is said in it, cannot be judged. Of a request for both, the other half counts for itself: what a video says must not be able to
 * switch off the judgement of what it shows.
 */
export function loseHalf(
  machine: AssetComponents,
  insight: PendingInsight,
  half: ModerationHalf,
  error: AssetError,
): void {
  const known = stillPending(machine, insight);
  if (known === null) return;
  const lost = { ...known.lost, [half]: error };
  if (known.order.type !== "av" || Object.keys(lost).length === 2)
    return failInsight(machine, known, lost.pictures ?? error);
  machine.commit(() => {
    if (half === "pictures" && known.pictures) leavePictures(machine, known.pictures);
    const pictures = half === "pictures" ? { pictures: null } : {};
    machine.insights.change(known, { ...pictures, lost, dueMs: machine.clock() });
  });
  logFailed("insight.half_lost", { assetId: known.assetId, kind: known.kind, half }, error);
  machine.timers.bringForward("insights", machine.clock());
}
