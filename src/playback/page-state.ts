import { isLatelyOver, stageOf } from "../live/index.ts";
import { presentationOf } from "../media/manifest/model.ts";
import type { Env } from "../platform/env.ts";
import type { Permission } from "./permission.ts";
import { findRecording } from "./repository.ts";
import type { Playable, Resolved } from "./resolve.ts";
import { unplayableState } from "./unplayable-state.ts";
import { held } from "./viewer.ts";

/** What the page of a playback ID shows when it is opened. Agrees with what its manifests answer. */
export type PageState =
  | { kind: "missing" }
  | { kind: "playable" }
  | { kind: "awaited" }
  | { kind: "processing"; percent: number }
  | { kind: "source unavailable"; code: string }
  | { kind: "failed"; code: string }
  | { kind: "off air" }
  | { kind: "broadcast over" }
  | { kind: "recording" };

/** @throws {Problem} moderation_hold for a stream whose recording is held; nobody is admitted to a media that is held */
export async function pageStateOf(
  env: Env,
  resolved: Resolved | null,
  permission: Permission | null,
  nowMs: number,
): Promise<PageState> {
  if (resolved === null) return { kind: "missing" };
  if (resolved.kind === "asset") return stateOfAsset(resolved.playable);
  const { session } = resolved.playable;
  const stage = stageOf(session, nowMs);
  if (stage === "idle" || session === null) return { kind: "off air" };
  if (stage === "on air") return { kind: "playable" }; // the page has `recordingAtEnd`
  const { rules, isPending } = await findRecording(env.DB, session.id, permission?.recordingPolicies ?? ["public"]);
  if (rules?.isHeld === true) throw held();
  if (rules !== null) return { kind: "playable" };
  if (isPending) return { kind: "recording" };
  return { kind: isLatelyOver(session.endedAtMs ?? 0, nowMs) ? "broadcast over" : "off air" };
}

function stateOfAsset(playable: Playable): PageState {
  const { hasFailed, reason, percent } = unplayableState(playable);
  if (hasFailed) return { kind: "failed", code: reason ?? "internal" };
  if (presentationOf(playable) !== null) return { kind: "playable" };
  if (playable.isAwaited) return { kind: "awaited" };
  return reason === null ? { kind: "processing", percent } : { kind: "source unavailable", code: reason };
}
