import type { CreateContext } from "../../platform/http/idempotency.ts";
import { openDatabase } from "../../platform/database.ts";
import { orNotFound, Problem } from "../../platform/http/problems.ts";
import { type AssetRecord, findAsset } from "../assets/repository.ts";
import { costOf, speechProviderOf, spokenCodeOf } from "../../ai/providers/index.ts";
import { promptOf } from "../../ai/settings/index.ts";
import { isCovered } from "../../ai/usage/index.ts";
import { addTrack } from "./add-track.ts";
import { requireNotMade } from "./require-not-made.ts";
import { audioRenditionOf } from "./store/repository.ts";
import type { GenerateSubtitles } from "./schemas.ts";

/**
 * Adds a subtitle track that is made of a sound of the media.
 *
 * @param trackId of the sound: of the source, or an added one
 * @throws {Problem} media_not_found, track_not_found, captions_exist, duplicate_language_name, track_limit_reached, ai_budget_spent
 */
export async function generateSubtitles(
  { assetId, trackId }: { assetId: string; trackId: string },
  { languageCode, languageName, title, metadata, vocabulary = [] }: GenerateSubtitles,
  context: CreateContext,
) {
  const db = openDatabase(context.env.DB);
  const record = orNotFound(await findAsset(db, context.workspaceId, assetId), "media_not_found");
  const generated = {
    sound: requireSound(record, trackId),
    languageCode: spokenCodeOf(languageCode),
    prompt: promptOf(vocabulary),
    ...(metadata === undefined ? {} : { metadata }),
  };
  await requireBudget(context, record.asset.durationMs ?? 0);
  return await addTrack(
    assetId,
    { kind: "subtitle", url: null, languageCode, languageName, title, generated },
    context,
    await requireNotMade(context.env.DB, assetId, generated),
  );
}

/** @returns the name of its rendition @throws {Problem} track_not_found, which says so of a track that is no sound */
function requireSound({ tracks, addedTracks }: AssetRecord, id: string): string {
  const { kind } = orNotFound(
    [...tracks, ...addedTracks].find((track) => track.id === id),
    "track_not_found",
  );
  if (kind !== "audio")
    throw new Problem("track_not_found", `the track is a ${kind} track: captions are made of an audio track`);
  const position = tracks.filter((track) => track.kind === "audio").findIndex((track) => track.id === id);
  return position < 0 ? audioRenditionOf(id) : `a${position + 1}`;
}

/** Before the silences are cut away, so that a track which is begun can be paid. @throws {Problem} ai_budget_spent */
async function requireBudget({ env, workspaceId, now }: CreateContext, durationMs: number): Promise<void> {
  const provider = speechProviderOf(env);
  if (provider === null) return;
  const cost = { workspaceId, costMicroUsd: costOf(provider, durationMs) };
  if (!(await isCovered(openDatabase(env.DB), env, cost, now)))
    throw new Problem("ai_budget_spent", "the AI budget of this month does not cover it: see GET /v1/ai/usage");
}
