import type { z } from "@hono/zod-openapi";
import type { Database, Statement } from "../../platform/database.ts";
import { Problem } from "../../platform/http/problems.ts";
import { validationProblem } from "../../platform/http/validation.ts";
import { CLIPS_PER_MINUTE, clipRateCheck, isAtClipRate, keepOwner } from "../clips/shared-media.ts";
import { type Asset, type AssetRecord, findAsset } from "./repository.ts";
import { type CreateAsset, type SourceInput, UNKNOWN_MEDIA } from "./schemas.ts";
import { refusal } from "./track-inputs.ts";

/** Clients know the duration of a media to the second, so an end that is less than a second late is the end of the media. */
const LATE_END_MS = 1000;
const PLACE = ["inputs", 0] as const;

/**
 * The media that a clip is cut from.
 *
 * @param body of the request, which has the clip as its only input
 * @throws {Problem} validation_failed: it is not in this workspace, not ready, or does not have these times
 */
export async function requireClipSource(
  db: Database,
  workspaceId: string,
  { clipOf, clipStartMs, clipEndMs }: SourceInput & { clipOf: string },
  body: CreateAsset,
): Promise<AssetRecord> {
  const issues: z.core.$ZodIssue[] = [];
  const refuse = refusal(issues, [...PLACE]);
  const found = await findAsset(db, workspaceId, clipOf);
  const source = found?.asset ?? null;
  if (source === null) refuse(["url"], UNKNOWN_MEDIA);
  else if (source.status === "errored") refuse(["url"], "must name a media that is `Ready`; this one has failed");
  else if (source.status !== "ready" || source.durationMs === null)
    refuse(["url"], "must name a media that is `Ready`; this one is still processed");
  else {
    const { durationMs } = source;
    const end = `the media ends after ${durationMs / 1000} s`;
    if (clipStartMs >= durationMs) refuse(["startTime"], "is outside the media", `must be less: ${end}`);
    if (clipEndMs !== null && clipEndMs >= durationMs + LATE_END_MS)
      refuse(["endTime"], "is outside the media", `must be at most that: ${end}`);
  }
  if (body.optimizeAudio === true)
    refusal(issues, [])(
      ["optimizeAudio"],
      "is not available for this media",
      "must be false: clips have the sound of their media",
    );
  if (body.sourceAccess === true)
    refusal(issues, [])(
      ["sourceAccess"],
      "is not available for this media",
      "must be false: clips have no original file",
    );
  if (issues.length > 0) throw validationProblem({ issues }, { data: body, schema: null });
  return found!;
}

/** Statements of the commit that creates a clip: the check of the workspace's rate first, then what keeps the bytes of its media. */
export function clipStatements(
  db: Database,
  { id: mediaId, workspaceId, sourceAssetId, createdAt: now }: Asset,
): { check: Statement; keep: Statement } | null {
  if (sourceAssetId === null) return null;
  return {
    check: clipRateCheck(db, workspaceId, now),
    keep: keepOwner(db, { mediaId, workspaceId, sourceId: sourceAssetId, now }),
  };
}

/** @throws {Problem} clip_limit_reached when that is why the creation of a clip has failed; otherwise the error itself */
export async function failedClip(db: Database, { workspaceId, createdAt }: Asset, error: unknown): Promise<never> {
  if (error instanceof Problem || !(await isAtClipRate(db, workspaceId, createdAt))) throw error;
  const detail = `a workspace makes at most ${CLIPS_PER_MINUTE} clips of media a minute`;
  throw new Problem("clip_limit_reached", detail, { retryAfterSeconds: 60, cause: error });
}
