import { networkOf } from "../../../protocol/network-of.ts";
import type { Env } from "../../platform/env.ts";
import { viewMachine } from "../views/view-calls.ts";
import { encodeEvent, type ViewEvent } from "../views/view-event.ts";
import type { Refused } from "./refusals.ts";
import { edgeFactsOf } from "./read-edge-facts.ts";

/** Most views in one report: a player has one view at a time. */
const MAX_VIEWS = 20;

/**
 * Sends events to the machines of their views.
 *
 * @param views events by view
 * @param isPassive these events do not begin a view
 * @returns how often each reason for a refusal occurred
 */
export async function storeEvents(
  request: Request,
  env: Env,
  workspaceId: string,
  views: Map<string, ViewEvent[]>,
  isPassive = false,
): Promise<Refused> {
  const address = networkOf(request.headers.get("cf-connecting-ip") ?? "none");
  if (!(await env.BEACONS.limit({ key: `${workspaceId}:${address}` })).success) return { too_many_requests: 1 };
  const edge = edgeFactsOf(request.headers, request.cf);
  const taken = [...views].slice(0, MAX_VIEWS);
  await Promise.all(
    taken.map(([viewId, events]) =>
      viewMachine(env, workspaceId, viewId).take({
        workspaceId,
        viewId,
        edge,
        events: events.map(encodeEvent),
        isPassive,
      }),
    ),
  );
  const tooMany = views.size - taken.length;
  return tooMany > 0 ? { too_many_views: tooMany } : {};
}
