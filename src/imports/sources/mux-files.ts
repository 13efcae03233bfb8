/** Where the file of an asset is: its master, else one of its static renditions. */
import { SourceFailure, type Resolution } from "./source.ts";
import { positiveOrNull } from "./read-answer.ts";
import type { Asset, Rendition } from "./mux-answers.ts";

/** A master that was not switched on by this migration may end at any time within its day. */
const UNKNOWN_AGE_LIFE_MS = 60 * 60_000;
/** Mux gives 24 h; an hour is left for the fetch itself. */
const MASTER_LIFE_MS = 23 * 60 * 60_000;
const POLL_MS = 10_000;

/** Of `waiting`. */
export interface MuxState extends Record<string, unknown> {
  /** When master access was switched on, epoch ms. */
  sinceMs: number;
}

export function sinceOf(state: Record<string, unknown> | null): number | null {
  return typeof state?.["sinceMs"] === "number" ? state["sinceMs"] : null;
}

/** What an asset's master allows now; null = it must be switched on first, or cannot be had. */
export function ofMaster(
  { master, master_access: access }: Asset,
  sinceMs: number | null,
  nowMs: number,
): Resolution | null {
  if (master?.status === "ready" && master.url != null && master.url !== "") {
    const expiresAtMs = sinceMs === null ? nowMs + UNKNOWN_AGE_LIFE_MS : sinceMs + MASTER_LIFE_MS;
    return { status: "ready", url: master.url, expiresAtMs };
  }
  if (access !== "temporary" || master?.status === "errored") return null;
  const state: MuxState = { sinceMs: sinceMs ?? nowMs };
  return { status: "waiting", retryAfterMs: POLL_MS, state };
}

export const hasFailedMaster = ({ master }: Asset): boolean => master?.status === "errored";

/** The best static rendition of a public asset; null = it has none. */
export function ofRenditions(asset: Asset, streamBase: string): Extract<Resolution, { status: "ready" }> | null {
  const playbackId = asset.playback_ids?.find(({ policy }) => policy === "public")?.id;
  const best = bestRendition(asset);
  if (playbackId === undefined || best?.name == null) return null;
  const url = `${streamBase}/${encodeURIComponent(playbackId)}/${encodeURIComponent(best.name)}`;
  return { status: "ready", url, expiresAtMs: null, bytes: positiveOrNull(Number(best.filesize ?? Number.NaN)) };
}

function bestRendition({ static_renditions: renditions }: Asset): Rendition | null {
  const ready = (renditions?.files ?? []).filter(
    ({ name, status, ext }) =>
      (status ?? renditions?.status) === "ready" && name != null && ext !== "m4a" && !name.endsWith(".m4a"),
  );
  return (
    ready.find(({ name }) => name === "highest.mp4") ?? ready.toSorted((a, b) => heightOf(b) - heightOf(a))[0] ?? null
  );
}

/** Files of `mp4_support` may have no height; their names have an order. */
function heightOf({ height, name }: Rendition): number {
  if (height != null && height > 0) return height;
  const named = Number.parseInt(name ?? "", 10);
  if (Number.isFinite(named)) return named;
  return { "capped-1080p.mp4": 1080, "high.mp4": 3, "medium.mp4": 2, "low.mp4": 1 }[name ?? ""] ?? 0;
}

export function noFile(asset: Asset, isForbidden: boolean): SourceFailure {
  if (isForbidden) {
    const message =
      "Mux refused access to the master: the token lacks the permission Mux Video Write, and no public MP4 of this asset exists.";
    return new SourceFailure("permission_missing", message);
  }
  const reason = hasFailedMaster(asset) ? "Mux could not make the master file" : "Mux offers no master file";
  return new SourceFailure("no_file", `${reason}, and no public MP4 of this asset exists.`);
}
