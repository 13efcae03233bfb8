import type { Register } from "../../../protocol/live.ts";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { Problem } from "../../platform/http/problems.ts";
import { saveGateway } from "../streams/repository.ts";

/** Tolerated clock skew of a gateway. The newest gateway is preferred, so a start time in the future is rejected. */
const CLOCK_TOLERANCE_MS = 60_000;

/** Records where broadcasters reach a gateway. @throws {Problem} validation_failed */
export async function registerGateway(
  env: Env,
  { gatewayId: id, startedAt, ...urls }: Register,
  now: Date,
): Promise<void> {
  if (startedAt > now.getTime() + CLOCK_TOLERANCE_MS)
    throw new Problem("validation_failed", "startedAt is in the future");
  await saveGateway(openDatabase(env.DB), { id, ...urls, startedAt: new Date(startedAt), heardAt: now });
}
