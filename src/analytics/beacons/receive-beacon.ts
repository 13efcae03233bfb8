import type { Env } from "../../platform/env.ts";
import { networkOfRequest } from "../../platform/network/request-network.ts";
import type { ViewEvent } from "../views/view-event.ts";
import { answerBeacon, type Taken } from "./answer-beacon.ts";
import { type BeaconBatch, type BeaconEvent, readBatch } from "./beacon-batch.ts";
import { eventTimeMs } from "./event-time.ts";
import { knownWorkspaces } from "./known-workspaces.ts";
import { readReport } from "./read-report.ts";
import { countOfNetwork, countOfWorkspace, unitsOf } from "./report-limits.ts";
import { storeEvents } from "./store-events.ts";

/** A batch of 200 events has about 200 kB. */
const MAX_BYTES = 1024 * 1024;
/** First label of a host that names no workspace (media contract, analytics: "Beacon request"). */
const COLLECTOR = "collector";

/** @param key names the workspace: the first label of the host, or the last part of the path */
export const receiveBeacon = (request: Request, env: Env, key: string): Promise<Response> =>
  answerBeacon(env, key, takeBeacon(request, env, key.toLowerCase()));

/** Stores the usable events. The sender is a stranger, so what costs least is asked first: its network, its workspace, the body. */
async function takeBeacon(request: Request, env: Env, key: string): Promise<Taken> {
  const receivedAtMs = Date.now();
  const network = networkOfRequest(request);
  const tooMany = (workspaceId: string | null): Taken => ({ workspaceId, refused: { too_many_requests: 1 } });
  if (!(await countOfNetwork(env, network))) return tooMany(knownWorkspaces.recent(key, receivedAtMs) ?? null);
  const isNamed = key !== COLLECTOR;
  const named = isNamed ? await knownWorkspaces.find(env, request, key, receivedAtMs) : null;
  if (isNamed && named === null) return { workspaceId: null, refused: {} };
  if (named !== null && !(await countOfWorkspace(env, named))) return tooMany(named);

  const text = await readReport(request, MAX_BYTES);
  const batch = text === null ? null : readBatch(text);
  const stated = batch === null ? null : workspaceOf(batch);
  const workspaceId = named ?? (stated && (await knownWorkspaces.find(env, request, stated, receivedAtMs)));
  if (text === null || batch === null) return { workspaceId, refused: { too_large: 1 } };
  if (workspaceId === null) return { workspaceId, refused: batch.refused };
  const more = unitsOf(Buffer.byteLength(text)) - 1;
  const isWithin =
    (await countOfNetwork(env, network, more)) && (await countOfWorkspace(env, workspaceId, isNamed ? more : more + 1));
  if (!isWithin) return tooMany(workspaceId);

  const toViewEvent = ({ sequence, name, viewerAtMs, fields }: BeaconEvent): ViewEvent => {
    return { sequence, name, fields, atMs: eventTimeMs({ viewerAtMs, sentAtMs: batch.sentAtMs, receivedAtMs }) };
  };
  const views = Map.groupBy(batch.events, ({ viewId }) => viewId);
  const ofViews = new Map([...views].map(([viewId, events]) => [viewId, events.map(toViewEvent)]));
  const refused = { ...batch.refused, ...(await storeEvents(request, env, { network, workspaceId }, ofViews)) };
  return { workspaceId, refused };
}

function workspaceOf({ events }: BeaconBatch): string | null {
  const stated = events.find(({ fields }) => typeof fields["workspace_id"] === "string")?.fields["workspace_id"];
  return typeof stated === "string" ? stated.toLowerCase() : null;
}
