import { listenerOf, textProviderOf, visionProviderOf } from "../../ai/providers/index.ts";
import { isCovered } from "../../ai/usage/index.ts";
import { openDatabase } from "../../platform/database.ts";
import type { Env } from "../../platform/env.ts";
import { orNotFound, Problem } from "../../platform/http/problems.ts";
import { errorFields, log, logWarning } from "../../platform/log.ts";
import { assetMachine } from "../assets/asset-calls.ts";
import { changeRecord } from "../assets/change-record.ts";
import { mediaEvent } from "../assets/media-event.ts";
import type { AssetRecord } from "../assets/repository.ts";
import { startTracks, stopTrack } from "../assets/start-tracks.ts";
import { isFailedTranscript, transcriptTrack } from "../tracks/store/made-subtitles.ts";
import { newTrack, TRACKS_PER_MEDIA } from "../tracks/store/new-track.ts";
import { deleteTrackIf, insertTrackIf } from "../tracks/store/repository.ts";
import { deleteVersionsIf } from "../tracks/store/versions.ts";
import { trackEvent } from "../tracks/store/to-track.ts";
import { hasText, readsTranscript } from "./store/orders.ts";
import { startInsights } from "../assets/start-insights.ts";
import {
  deleteInsightIf,
  type InsightKind,
  type InsightRequest,
  newInsight,
  putInsightIf,
} from "./store/repository.ts";

interface MediaKey {
  workspaceId: string;
  assetId: string;
}

/** What a request leaves to do after its answer. */
type After = (work: Promise<unknown>) => void;

/**
 * Asks for a result of a media. Without subtitles, these are made first, of its sound.
 *
 * @param replace makes one again that there is
 * @throws {Problem} media_not_found, insight_exists, ai_budget_spent, track_limit_reached
 */
export async function requestInsight(
  env: Env,
  { workspaceId, assetId }: MediaKey,
  request: InsightRequest,
  { replace, now, after }: { replace: boolean; now: Date; after: After },
): Promise<void> {
  await requireBudget(env, workspaceId, request, now);
  const insight = newInsight(request, { assetId, workspaceId }, now);
  const changed = await changeRecord(env, { workspaceId, assetId }, now, (record, db, still) => {
    const { addedTracks, insights } = record;
    const known = insights.find(({ kind }) => kind === request.kind);
    if (known !== undefined && known.status !== "failed" && !replace)
      throw new Problem(
        "insight_exists",
        `${THERE_IS[request.kind]} already: send \`"replace": true\` to make ${request.kind === "summary" ? "it" : "them"} again`,
      );
    const track = readsTranscript(request) && canBeHeard(record) ? newTrack(transcriptTrack(), assetId, now) : null;
    const failed = track === null ? [] : addedTracks.filter(isFailedTranscript);
    const kept = addedTracks.filter((one) => !failed.includes(one));
    if (track !== null && kept.length >= TRACKS_PER_MEDIA)
      throw new Problem("track_limit_reached", `at most ${TRACKS_PER_MEDIA} tracks can be added to a media`);
    return {
      track,
      failed,
      statements: [
        ...failed.flatMap(({ id }) => [deleteVersionsIf(db, id, still), deleteTrackIf(db, id, still)]),
        ...(track === null ? [] : [insertTrackIf(db, track, still)]),
        putInsightIf(db, insight, still),
      ],
      ...(track === null ? {} : { addedTracks: [...kept, track] }),
      insights: [...insights.filter((one) => one !== known), insight],
      eventsBefore: (_, when) => [
        ...failed.map((one) => trackEvent("deleted", one, workspaceId, when())),
        ...(track === null ? [] : [trackEvent("created", track, workspaceId, when())]),
      ],
      event: (record, when) => mediaEvent("video.media.updated", record, when),
    };
  });
  const { change, committed } = orNotFound(changed, "media_not_found");
  after(committed.wake());
  for (const track of change.failed) after(stopTrack(env, track));
  after(startTracks(env, change.track === null ? [] : [change.track]).then(() => startInsights(env, [insight])));
  log("insight.requested", { assetId, kind: request.kind });
}

/** Whether subtitles are to be made of the sound: there are none, and the media has not failed, nor is it known to be silent. */
const canBeHeard = ({ asset, tracks, addedTracks }: AssetRecord): boolean => {
  if (hasText(addedTracks) || asset.status === "errored") return false;
  return asset.status !== "ready" || [...tracks, ...addedTracks].some(({ kind }) => kind === "audio");
};

/** Words for a person. */
const THERE_IS: Record<InsightKind, string> = {
  summary: "there is a summary",
  chapters: "there are chapters",
  namedEntities: "there are named entities",
  moderation: "there are scores of moderation",
};

/** A result that the month's budget cannot pay is refused at once. @throws {Problem} ai_budget_spent */
async function requireBudget(env: Env, workspaceId: string, request: InsightRequest, now: Date): Promise<void> {
  if (providersFor(env, request).every((provider) => provider === null)) return;
  if (!(await isCovered(openDatabase(env.DB), env, { workspaceId, costMicroUsd: 1 }, now)))
    throw new Problem("ai_budget_spent", "the AI budget of this month is spent: see GET /v1/ai/usage");
}

const providersFor = (env: Env, { kind, order: { type } }: InsightRequest) =>
  kind === "moderation"
    ? [type === "audio" ? null : visionProviderOf(env), type === "video" ? null : listenerOf(env)]
    : [textProviderOf(env)];

/**
 * Removes a result, or its request. Without effect when there is none.
 *
 * @throws {Problem} media_not_found
 */
export async function removeInsight(
  env: Env,
  { workspaceId, assetId }: MediaKey,
  kind: InsightKind,
  { now, after }: { now: Date; after: After },
): Promise<void> {
  const changed = await changeRecord(env, { workspaceId, assetId }, now, ({ insights }, db, still) => {
    const known = insights.find((one) => one.kind === kind);
    if (known === undefined) return null;
    return {
      requestId: known.requestId,
      statements: [deleteInsightIf(db, known, still)],
      insights: insights.filter((one) => one !== known),
    };
  });
  const { change, committed } = orNotFound(changed, "media_not_found");
  if (change === null) return;
  after(committed.wake());
  after(
    assetMachine(env, assetId)
      .dropInsight(kind, change.requestId)
      .catch((error: unknown) => logWarning("insight.call_failed", { assetId, kind, ...errorFields(error) })),
  );
}
