import { type Fields, figureOf } from "./fields.ts";
import { timelineFigures } from "./timeline-figures.ts";
import { startOf, type ViewEvent } from "./view-event.ts";

/** The merged events of a view. */
export interface MergedView {
  /** The last value of every field. Figures that the player does not state are computed from the times of the events. */
  fields: Fields;
  /** Epoch ms. */
  startedAtMs: number;
  lastAtMs: number;
  /** The first picture was shown. */
  hasStarted: boolean;
  error: { code: string; message: string; context: string | null } | null;
  usedFullScreen: boolean;
  /** Average of the renditions, weighted by their playing time, bit/s; null = not known. */
  averageBitrateBps: number | null;
}

/** Events that stop the picture. */
const HALTING = new Set(["pause", "seeking", "waiting", "buffering", "ended", "error", "viewCompleted"]);

/** Code of an error for which no event stated one. */
const UNKNOWN_ERROR = "unknown";

/** @param events in order, at least one */
export function mergeEvents(events: readonly ViewEvent[]): MergedView {
  const fields: Fields = {};
  let error: MergedView["error"] = null;
  for (const event of events) {
    Object.assign(fields, event.fields);
    if (event.name === "error" && (error === null || error.code === UNKNOWN_ERROR)) error = errorOf(event.fields);
  }
  const figures =
    fields["view_watch_time"] === undefined
      ? timelineFigures(events, figureOf(fields["view_time_to_first_frame"]))
      : {};
  const names = new Set(events.map(({ name }) => name));
  const times = events.map(({ atMs }) => atMs);
  return {
    fields: { ...fields, ...figures },
    startedAtMs: startOf(events),
    lastAtMs: Math.max(...times),
    hasStarted: names.has("playing") || typeof fields["view_time_to_first_frame"] === "number",
    error,
    usedFullScreen: events.some((event) => event.fields["player_is_fullscreen"] === true),
    averageBitrateBps: averageBitrate(events),
  };
}

function errorOf(fields: Fields): NonNullable<MergedView["error"]> {
  const text = (field: string) => (fields[field] === undefined ? null : String(fields[field]));
  return {
    code: text("player_error_code") ?? UNKNOWN_ERROR,
    message: text("player_error_message") ?? "",
    context: text("player_error_context"),
  };
}

function averageBitrate(events: readonly ViewEvent[]): number | null {
  let [isPlaying, bitrateBps, sinceMs, bits, playedMs] = [false, 0, 0, 0, 0];
  for (const { name, atMs, fields } of events) {
    const ms = isPlaying && bitrateBps > 0 ? Math.max(0, atMs - sinceMs) : 0;
    bits += bitrateBps * ms;
    playedMs += ms;
    sinceMs = atMs;
    bitrateBps = figureOf(fields["video_source_bitrate"]) ?? bitrateBps;
    if (name === "playing") isPlaying = true;
    else if (HALTING.has(name)) isPlaying = false;
  }
  return playedMs > 0 ? bits / playedMs : null;
}
