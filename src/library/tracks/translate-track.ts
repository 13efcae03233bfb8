import { textProviderOf } from "../../ai/providers/index.ts";
import { isCovered } from "../../ai/usage/index.ts";
import { languageName } from "../../media/languages.ts";
import { openDatabase } from "../../platform/database.ts";
import type { CreateContext } from "../../platform/http/idempotency.ts";
import { orNotFound, Problem } from "../../platform/http/problems.ts";
import { findAsset } from "../assets/repository.ts";
import { addTrack } from "./add-track.ts";
import type { TranslateTrack } from "./schemas.ts";

/**
 * Adds a subtitle track that is the translation of another one.
 *
 * @throws {Problem} media_not_found, track_not_found, track_not_available, ai_not_configured, ai_budget_spent, duplicate_language_name, track_limit_reached
 */
export async function translateTrack(
  { assetId, trackId }: { assetId: string; trackId: string },
  { languageCode, languageName: given, title }: TranslateTrack,
  context: CreateContext,
) {
  const { env, workspaceId, now } = context;
  const db = openDatabase(env.DB);
  const record = orNotFound(await findAsset(db, workspaceId, assetId), "media_not_found");
  const found = record.addedTracks.find(({ id, kind }) => id === trackId && kind === "subtitle");
  const track = orNotFound(found, "track_not_found");
  if (track.status !== "available")
    throw new Problem("track_not_available", "only a subtitle track that is available can be translated");
  if (textProviderOf(env) === null)
    throw new Problem("ai_not_configured", "translations need a text model: set AI_BASE_URL, or bind Workers AI");
  if (!(await isCovered(db, env, { workspaceId, costMicroUsd: 1 }, now)))
    throw new Problem("ai_budget_spent", "the AI budget of this month is spent: see GET /v1/ai/usage");
  const name =
    given ??
    languageName(languageCode)
      .replaceAll(/[^A-Za-z ]/g, "")
      .trim();
  const generated = { sound: null, languageCode, prompt: "", translatedFrom: trackId };
  const labels = { languageCode, languageName: name, title };
  return await addTrack(assetId, { kind: "subtitle", url: null, ...labels, generated }, context);
}
