import { logError, logWarning } from "../../../platform/log.ts";
import type { AssetError } from "../../assets/asset-error.ts";

/** Logs that a media, a track or a result of AI has failed for good: as an error when the service is at fault. */
export function logFailed(
  event: "asset.failed" | "track.failed" | "insight.failed" | "insight.half_lost" | "insight.without_pictures",
  ids: object,
  { code, fault }: AssetError,
): void {
  const write = fault === "service" ? logError : logWarning;
  write(event, { ...ids, code, fault });
}
