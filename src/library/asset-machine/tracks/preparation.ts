import type { TrackForMachine } from "../../assets/asset-calls.ts";
import type { AssetComponents } from "../core/components.ts";
import { soundFiles } from "./sound-files.ts";
import type { PendingTrack } from "../core/track-store.ts";
import type { AssetError } from "../../assets/asset-error.ts";
import { logFailed } from "../core/log-failed.ts";
import { wakeInsights } from "../insights/take-insight.ts";

/** Results of AI read the tracks from D1, so the outbox goes first. */
const AFTER_OUTBOX_MS = 500;

const FRESH = { step: "fetching", starts: 0, sourceFailures: 0, copy: null, plan: null, publicUrl: "" } as const;
/** A track whose preparation has ended. */
const UNKNOWN = {
  ...FRESH,
  kind: "audio",
  url: null,
  languageCode: "und",
  imposed: null,
  followsEdit: false,
  generated: null,
} as const;

/** Takes over an added track. Repeatable: one that is already in preparation goes on, and looks at its media at once if it waits for that. */
export function takeTrack(machine: AssetComponents, track: TrackForMachine): void {
  const { documents, state, timers, tracks } = machine;
  if (state.status === "deleted") return;
  machine.commit(() => {
    documents.put("name", track.assetId);
    const known = tracks.get(track.id);
    if (known === null) return tracks.put({ ...track, ...FRESH, dueMs: machine.clock() });
    // The media for which it waits may have become ready.
    if (isCopied(known)) tracks.change(track.id, { dueMs: machine.clock() });
  });
  timers.bringForward("tracks", machine.clock());
}

const isCopied = (track: PendingTrack): boolean =>
  track.kind === "audio" && track.step === "fetching" && soundFiles(track).every(({ copy }) => copy?.done === true);

/**
 * Audio tracks wait until their media is ready, and subtitles that move with an edit until it is planned.
 *
 * @param atMs when the record of the media in D1 is expected to say what it has become
 */
export function wakeTracks({ clock, timers, tracks }: AssetComponents, atMs: number): void {
  const waits = ({ kind, followsEdit, generated, step }: PendingTrack) =>
    step === "fetching" && (kind === "audio" || followsEdit || Boolean(generated));
  const waiting = tracks.all().filter(waits);
  for (const { id } of waiting) tracks.change(id, { dueMs: clock() });
  if (waiting.length > 0) timers.bringForward("tracks", atMs);
}

/** The track has been deleted: its preparation ends, and its bytes are deleted. */
export function removeTrack(machine: AssetComponents, { id, assetId }: { id: string; assetId: string }): void {
  const { documents, state, timers, tracks } = machine;
  if (state.status === "deleted") return; // everything is deleted
  const known = tracks.get(id) ?? { ...UNKNOWN, id, assetId };
  machine.commit(() => {
    documents.put("name", assetId);
    tracks.put({ ...known, step: "removing", dueMs: machine.clock() });
  });
  timers.bringForward("tracks", machine.clock());
}

/** Ends the preparation of a track that cannot be used. Without effect on one that has left. */
export function endTrack(machine: AssetComponents, trackId: string, error: AssetError): void {
  const track = machine.tracks.get(trackId);
  if (track === null || track.step === "removing" || track.step === "removed") return;
  logFailed("track.failed", { assetId: machine.id, trackId }, error);
  machine.commit(() => {
    machine.heard.setAside(trackId, machine.clock());
    leave(machine, track);
    machine.outbox.enqueue({ kind: "trackEnded", payload: { id: trackId, end: { status: "failed", error } } });
  });
  machine.timers.bringForward("outbox", machine.clock());
}

/** Under which the answers for a translation are stored. */
export const translationKey = (trackId: string) => `translation ${trackId}`;

/** Part of the commit that ends a track's preparation. */
export function leave(machine: AssetComponents, { id, assetId, kind }: PendingTrack): void {
  const { clock, heard, trackJobs, tracks } = machine;
  if (kind === "subtitle") wakeInsights(machine, clock() + AFTER_OUTBOX_MS);
  tracks.remove(id);
  heard.remove(id);
  machine.insights.forget(translationKey(id));
  trackJobs.removeOf(assetId, id);
}
