import type { SourceFacts } from "../../../protocol/source-facts.ts";
import type { RenditionRow } from "../encoding/assemble.ts";
import type { EncodingPlan } from "../encoding/plan.ts";
import type { AssetError } from "./asset-error.ts";
import type { AssetFacts } from "./projection.ts";

/** The catalogue's facts after the encoder has probed a source. */
export function plannedFacts({ containerFormat, durationMs, video }: SourceFacts, plan: EncodingPlan): AssetFacts {
  const facts = { containerFormat, durationMs: Math.round(plan.durationMs ?? durationMs) };
  if (video === null) return facts;
  const frameRate = `${video.frameRate.num}/${video.frameRate.den}`;
  return { ...facts, widthPx: video.widthPx, heightPx: video.heightPx, frameRate };
}

const lengthMs = ({ segments, timescale }: RenditionRow) =>
  (segments.durationTicks.reduce((sum, ticks) => sum + ticks, 0) / timescale) * 1000;

/**
 * The catalogue's facts when everything is encoded. Audio may end slightly after the video; the video's duration is the asset's.
 *
 * @param keepsPassthrough the source is the top rung, so its own length, known before, stays
 */
export function readyFacts(rows: RenditionRow[], keepsPassthrough: boolean): AssetFacts {
  const pictures = rows.filter(({ kind }) => kind === "video");
  const lengths = (pictures.length > 0 ? pictures : rows).map(lengthMs);
  return {
    status: "ready",
    ...(lengths.length > 0 && !keepsPassthrough ? { durationMs: Math.round(Math.max(...lengths)) } : {}),
    progress: { percent: 100, stage: "done", renditions: rows.map(({ name }) => ({ name, percent: 100 })) },
  };
}

export const erroredFacts = ({ code, message, fault }: AssetError): AssetFacts => ({
  status: "errored",
  stage: "done",
  errorCode: code,
  errorMessage: message,
  errorFault: fault,
});
