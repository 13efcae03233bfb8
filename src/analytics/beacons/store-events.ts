import type { Env } from "../../platform/env.ts";
import { viewMachine } from "../views/view-calls.ts";
import { encodeEvent, type ViewEvent } from "../views/view-event.ts";
import { admitView } from "./new-views.ts";
import type { Refused } from "./refusals.ts";
import { edgeFactsOf } from "./read-edge-facts.ts";

/** Most views in one report: a player has one view at a time. */
const MAX_VIEWS = 20;

/** Where a report comes from and goes to. */
export interface ReportAddress {
  network: string;
  workspaceId: string;
}

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
  { network, workspaceId }: ReportAddress,
  views: Map<string, ViewEvent[]>,
  isPassive = false,
): Promise<Refused> {
  const edge = edgeFactsOf(request.headers, request.cf);
  const taken = [...views].slice(0, MAX_VIEWS);
  const tooMany = views.size - taken.length;
  let refusedViews = 0;
  await Promise.all(
    taken.map(async ([viewId, events]) => {
      if (!(await admitView(env, `${workspaceId}:${viewId}`, network, workspaceId))) refusedViews += 1;
      else
        await viewMachine(env, workspaceId, viewId).take({
          workspaceId,
          viewId,
          edge,
          events: events.map(encodeEvent),
          isPassive,
        });
    }),
  );
  return {
    ...(tooMany > 0 ? { too_many_views: tooMany } : {}),
    ...(refusedViews > 0 ? { too_many_new_views: refusedViews } : {}),
  };
}
