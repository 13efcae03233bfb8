import { derivedId } from "../../platform/crypto/derived-id.ts";
import type { Env } from "../../platform/env.ts";
import { networkOfRequest } from "../../platform/network/request-network.ts";
import { answerBeacon, type Taken } from "../beacons/answer-beacon.ts";
import { eventTimeMs } from "../beacons/event-time.ts";
import { readReport } from "../beacons/read-report.ts";
import { countOfNetwork, countOfWorkspace, unitsOf } from "../beacons/report-limits.ts";
import { storeEvents } from "../beacons/store-events.ts";
import type { ViewEvent } from "../views/view-event.ts";
import { type CmcdReport, readReports } from "./cmcd-reports.ts";
import { knownPlaybackIds } from "./known-playback-ids.ts";

/** A report has about 300 bytes. */
const MAX_BYTES = 256 * 1024;

/** Receives event reports of a player that plays this playback ID (CTA-5004-B, event mode). */
export const receiveCmcd = (request: Request, env: Env, playbackId: string): Promise<Response> =>
  answerBeacon(env, playbackId, takeCmcd(request, env, playbackId.toLowerCase()));

/** Stores the usable reports. The sender is a stranger: see `takeBeacon`. */
async function takeCmcd(request: Request, env: Env, playbackId: string): Promise<Taken> {
  const receivedAtMs = Date.now();
  const network = networkOfRequest(request);
  const tooMany = (id: string | null): Taken => ({ workspaceId: id, refused: { too_many_requests: 1 } });
  if (!(await countOfNetwork(env, network))) return tooMany(knownPlaybackIds.recent(playbackId, receivedAtMs) ?? null);
  const workspaceId = await knownPlaybackIds.find(env, request, playbackId, receivedAtMs);
  if (workspaceId === null) return { workspaceId, refused: {} };
  if (!(await countOfWorkspace(env, workspaceId))) return tooMany(workspaceId);

  const text = await readReport(request, MAX_BYTES);
  if (text === null) return { workspaceId, refused: { too_large: 1 } };
  const more = unitsOf(Buffer.byteLength(text)) - 1;
  if (!(await countOfNetwork(env, network, more)) || !(await countOfWorkspace(env, workspaceId, more)))
    return tooMany(workspaceId);
  const { reports, refused } = readReports(text);
  if (reports.length === 0) return { workspaceId, refused };

  const source = `${new URL(request.url).origin}/${playbackId}.m3u8`;
  const toViewEvent = ({ sequence, name, viewerAtMs, fields }: CmcdReport): ViewEvent => ({
    sequence,
    name,
    fields: { ...fields, video_source_url: source },
    // Reports do not say when they were sent. A wrong clock shifts the view in time; its figures stay correct.
    atMs: eventTimeMs({ viewerAtMs, sentAtMs: null, receivedAtMs }),
  });
  const sessions = Map.groupBy(reports, ({ sessionId }) => sessionId);
  // A session's id need not be a UUID, and a player keeps it when it loads another media.
  const views = new Map<string, ViewEvent[]>();
  for (const [sessionId, ofSession] of sessions)
    views.set(await derivedId("cmcd", playbackId, sessionId), ofSession.map(toViewEvent));
  const isPassive = reports.every((report) => report.isPassive);
  const ofViews = await storeEvents(request, env, { network, workspaceId }, views, isPassive);
  return { workspaceId, refused: { ...refused, ...ofViews } };
}
