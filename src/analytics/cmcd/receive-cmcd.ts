import { derivedId } from "../../platform/crypto/derived-id.ts";
import type { Env } from "../../platform/env.ts";
import { answerBeacon, type Taken } from "../beacons/answer-beacon.ts";
import { eventTimeMs } from "../beacons/event-time.ts";
import { readReport } from "../beacons/read-report.ts";
import { storeEvents } from "../beacons/store-events.ts";
import type { ViewEvent } from "../views/view-event.ts";
import { type CmcdReport, readReports } from "./cmcd-reports.ts";
import { knownPlaybackIds } from "./known-playback-ids.ts";

/** A report has about 300 bytes. */
const MAX_BYTES = 256 * 1024;

/** Receives event reports of a player that plays this playback ID (CTA-5004-B, event mode). */
export const receiveCmcd = (request: Request, env: Env, playbackId: string): Promise<Response> =>
  answerBeacon(env, playbackId, takeCmcd(request, env, playbackId.toLowerCase()));

/** Stores the usable reports. */
async function takeCmcd(request: Request, env: Env, playbackId: string): Promise<Taken> {
  const receivedAtMs = Date.now();
  const text = await readReport(request, MAX_BYTES);
  const workspaceId = await knownPlaybackIds.find(env.DB, playbackId, receivedAtMs);
  if (text === null) return { workspaceId, refused: { too_large: 1 } };
  const { reports, refused } = readReports(text);
  if (reports.length === 0 || workspaceId === null) return { workspaceId, refused };

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
  return { workspaceId, refused: { ...refused, ...(await storeEvents(request, env, workspaceId, views, isPassive)) } };
}
