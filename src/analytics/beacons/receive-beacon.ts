import { networkOf } from "../../../protocol/network-of.ts";
import { readBounded } from "../../../protocol/read-bounded.ts";
import type { Env } from "../../platform/env.ts";
import { log, logError } from "../../platform/log.ts";
import { callView } from "../views/view-calls.ts";
import type { ViewEvent } from "../views/view-event.ts";
import { type BeaconBatch, readBatch } from "./beacon-batch.ts";
import { eventTimeMs } from "./event-time.ts";
import { isWorkspace } from "./known-workspaces.ts";
import { edgeFactsOf } from "./read-edge-facts.ts";

/** A batch of 200 events has about 200 kB. */
const MAX_BYTES = 1024 * 1024;
/** A player has one view at a time. */
const MAX_VIEWS = 20;
/** The label of hosts that name no workspace (media contract, analytics: "Beacon request"). */
const COLLECTOR = "collector";

/** @param key names the workspace: the first label of the host, or the last part of the path */
export async function receiveBeacon(request: Request, env: Env, key: string): Promise<Response> {
  const receivedAtMs = Date.now();
  const refused = await takeBeacon(request, env, key.toLowerCase(), receivedAtMs).catch((error: unknown) => {
    logError("beacon.failed", { error: String(error) });
    return null;
  });
  if (refused === null) return answer(503); // the SDK sends the batch again
  if (Object.keys(refused).length > 0) log("beacon.refused", { workspaceKey: key.slice(0, 64), refused });
  return answer(200);
}

const CORS = { "access-control-allow-origin": "*", "cache-control": "no-store" };
const answer = (status: number) => new Response(null, { status, headers: CORS });

export const beaconPreflight = () =>
  new Response(null, {
    status: 204,
    headers: {
      ...CORS,
      "access-control-allow-methods": "POST, OPTIONS",
      "access-control-allow-headers": "Content-Type",
      "access-control-max-age": "86400",
    },
  });

/** @returns what could not be used, and how often. What could is stored. */
async function takeBeacon(
  request: Request,
  env: Env,
  key: string,
  receivedAtMs: number,
): Promise<BeaconBatch["refused"]> {
  const bytes = request.body === null ? null : await readBounded(request.body.values(), MAX_BYTES);
  if (bytes === null) return { too_large: 1 };
  const batch = readBatch(new TextDecoder().decode(bytes));
  const workspaceId = key === COLLECTOR ? workspaceOf(batch) : key;
  if (batch.events.length === 0) return batch.refused;
  if (workspaceId === null || !(await isWorkspace(env.DB, workspaceId, receivedAtMs))) return { unknown_workspace: 1 };
  const address = networkOf(request.headers.get("cf-connecting-ip") ?? "none");
  if (!(await env.BEACONS.limit({ key: `${workspaceId}:${address}` })).success) return { too_many_requests: 1 };

  const views = Map.groupBy(batch.events, ({ viewId }) => viewId);
  const taken = [...views].slice(0, MAX_VIEWS);
  const edge = edgeFactsOf(request.headers, request.cf);
  await Promise.all(
    taken.map(([viewId, events]) =>
      callView(env, "take", {
        workspaceId,
        viewId,
        edge,
        events: events.map(({ sequence, name, viewerAtMs, fields }): ViewEvent => {
          return { sequence, name, fields, atMs: eventTimeMs({ viewerAtMs, sentAtMs: batch.sentAtMs, receivedAtMs }) };
        }),
      }),
    ),
  );
  const tooMany = views.size - taken.length;
  return tooMany > 0 ? { ...batch.refused, too_many_views: tooMany } : batch.refused;
}

function workspaceOf({ events }: BeaconBatch): string | null {
  const stated = events.find(({ fields }) => typeof fields["workspace_id"] === "string")?.fields["workspace_id"];
  return typeof stated === "string" ? stated.toLowerCase() : null;
}
