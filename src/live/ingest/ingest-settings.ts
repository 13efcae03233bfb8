import type { IngestSettings } from "../../../protocol/live.ts";
import type { Env } from "../../platform/env.ts";
import { PART_TARGET_MS } from "../../platform/variables.ts";

const STANDARD_PART_MS = 1000; // not announced to players; it bounds the loss when a gateway crashes
const SEGMENT_MS = { low: 2000, standard: 4000 } as const;

/** Segment and part durations of a broadcast. Clamps `LIVE_PART_TARGET_MS` to 200 to 1000. */
export function ingestSettings(
  env: Partial<Pick<Env, "LIVE_PART_TARGET_MS">>,
  { maxResolution, latencyMode }: Pick<IngestSettings, "maxResolution" | "latencyMode">,
): Omit<IngestSettings, "reconnect"> {
  const wanted = Math.round(Number(env.LIVE_PART_TARGET_MS ?? "") || PART_TARGET_MS.usual);
  const low = Math.min(PART_TARGET_MS.most, Math.max(PART_TARGET_MS.least, wanted));
  return {
    maxResolution,
    latencyMode,
    partTargetMs: latencyMode === "low" ? low : STANDARD_PART_MS,
    segmentMs: SEGMENT_MS[latencyMode],
  };
}
