import type { TextKind } from "../../../ai/text/index.ts";
import { textProviderOf } from "../../../ai/providers/index.ts";
import { openDatabase } from "../../../platform/database.ts";
import { errorFields, logError } from "../../../platform/log.ts";
import { failureDelayMs } from "../../../platform/machine/timers.ts";
import { MEDIA_FAILED, STEP_DIED, STUCK } from "../../assets/asset-error.ts";
import { type AssetRecord, findAsset } from "../../assets/repository.ts";
import { type AssetComponents, MAX_WORK_FAILURES } from "../core/components.ts";
import type { PendingInsight } from "../core/insight-store.ts";
import { askText } from "./ask-text.ts";
import { findTranscript } from "./find-transcript.ts";
import { makeModeration } from "./make-moderation.ts";
import { purgeSheets } from "./old-sheets.ts";
import { readTranscript } from "./read-transcript.ts";
import { makeBuiltIn } from "./make-built-in.ts";
import { cutChaptersOf } from "../clips/cut-chapters.ts";
import { endInsight, failInsight } from "./take-insight.ts";

/** The end of the media and of its tracks wake what waits for them; this is the net under that. */
const WAIT_MS = 30_000;
/** The same while the media waits for its file. */
const UPLOAD_WAIT_MS = 10 * 60_000;
/** A deployment may kill a step; three times in a row, the step itself is the cause. */
const MAX_STEP_DEATHS = 3;

/** Takes the steps of the results that are due. */
export async function makeInsights(machine: AssetComponents): Promise<void> {
  const { clock, insights, state, timers } = machine;
  if (state.status === "deleted") return;
  const due = insights.all().filter(({ dueMs }) => dueMs <= clock());
  for (const insight of due.toSorted((a, b) => a.dueMs - b.dueMs)) await takeStep(machine, insight);
  await machine.outbox.drain();
  const sheetsMs = await purgeSheets(machine);
  const nextMs = Math.min(sheetsMs, ...insights.all().map(({ dueMs }) => dueMs));
  if (Number.isFinite(nextMs)) timers.schedule("insights", nextMs);
}

async function takeStep(machine: AssetComponents, insight: PendingInsight): Promise<void> {
  const { ctx, insights } = machine;
  const { assetId, kind, starts } = insight;
  if (starts > 0) logError("insight.step_died", { assetId, kind, starts });
  if (starts >= MAX_STEP_DEATHS) return failInsight(machine, insight, STEP_DIED);
  insights.change(insight, { starts: starts + 1 });
  await ctx.storage.sync(); // a step that kills the process leaves no other trace
  try {
    await makeInsight(machine, insight);
    insights.change(insight, { starts: 0, failures: 0 });
  } catch (error) {
    onStepFailure(machine, insight, error);
  }
}

/** Other results of the media go on: this one alone is tried again later, or fails. */
function onStepFailure(machine: AssetComponents, insight: PendingInsight, error: unknown): void {
  const { clock, insights } = machine;
  const { assetId, kind } = insight;
  const failures = (insight.failures ?? 0) + 1;
  logError("insight.step_failed", { assetId, kind, failures, ...errorFields(error) });
  if (failures >= MAX_WORK_FAILURES) return failInsight(machine, insight, STUCK);
  insights.change(insight, { starts: 0, failures, dueMs: clock() + failureDelayMs(failures) });
}

/** The next step of one result: it waits for the media. */
async function makeInsight(machine: AssetComponents, insight: PendingInsight): Promise<void> {
  const { clock, env, insights } = machine;
  const { assetId, kind } = insight;
  const record = await findAsset(openDatabase(env.DB), null, assetId);
  if (record === null) return insights.remove(kind); // the media is deleted
  const { status } = record.asset;
  if (status === "waiting") return insights.change(insight, { dueMs: clock() + UPLOAD_WAIT_MS });
  if (status === "errored") return failInsight(machine, insight, MEDIA_FAILED);
  if (status === "processing") return insights.change(insight, { dueMs: clock() + WAIT_MS });
  if (insight.order.takesOver === true && (await takeOverChapters(machine, insight, record.asset))) return;
  if (kind === "moderation") return await makeModeration(machine, insight, record);
  await makeText(machine, { ...insight, kind }, record);
}

/** Chapters of a clip are those of its media, as soon as these are made. @returns false when there will be none: then the clip has its own made */
async function takeOverChapters(
  machine: AssetComponents,
  insight: PendingInsight,
  { sourceAssetId, clipStartMs, durationMs }: AssetRecord["asset"],
): Promise<boolean> {
  const { clock, env, insights } = machine;
  const times = { startMs: clipStartMs, durationMs: durationMs ?? 0 };
  const end = sourceAssetId === null ? null : await cutChaptersOf(env, sourceAssetId, times);
  if (end === null) return false;
  if (end === "expected") insights.change(insight, { dueMs: clock() + WAIT_MS });
  else endInsight(machine, insight, end);
  return true;
}

/** The next step of a result that is made of a text. */
async function makeText(
  machine: AssetComponents,
  insight: PendingInsight & { kind: TextKind },
  record: AssetRecord,
): Promise<void> {
  const { clock, env, insights } = machine;
  const { kind } = insight;
  const track = findTranscript(record);
  if (track === "expected") return insights.change(insight, { dueMs: clock() + WAIT_MS });
  if ("code" in track) return failInsight(machine, insight, track);
  const provider = textProviderOf(env);
  const found = await readTranscript(machine, track, record.asset.durationMs, provider?.partCharacters ?? null);
  if (found === null) return insights.change(insight, { dueMs: clock() + WAIT_MS });
  const { source, read } = found;
  if (insight.read?.trackId !== read.trackId || insight.read.version !== read.version) insights.forget(kind);
  insights.change(insight, { read });
  const known = insights.get(kind);
  if (known?.requestId !== insight.requestId) return; // it was asked for again, or is not wanted any more
  if (provider === null) return makeBuiltIn(machine, { ...known, kind }, record, source, track);
  await askText(machine, { ...known, kind }, source, provider);
}
