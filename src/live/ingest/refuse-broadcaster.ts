import type { Authorize, Refusal } from "../../../protocol/live.ts";
import { logWarning } from "../../platform/log.ts";
import { streamIdOfKey } from "../streams/ids.ts";

/** Logs the refusal of a broadcaster. @returns the answer to its gateway */
export function refuseBroadcaster(
  { gatewayId, protocol, streamKey }: Pick<Authorize, "protocol" | "streamKey"> & { gatewayId?: string },
  reason: Refusal,
) {
  // The stream's id is the only part of the key that is not secret.
  logWarning("live.refused", {
    streamId: streamIdOfKey(streamKey),
    reason,
    ...(gatewayId === undefined ? {} : { gatewayId }),
    protocol,
  });
  return { accepted: false as const, reason };
}
