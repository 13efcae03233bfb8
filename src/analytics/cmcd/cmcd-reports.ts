/** Event reports of Common Media Client Data, version 2 (CTA-5004-B). Pure; the sender is not authenticated. */
import type { Refusal, Refused } from "../beacons/refusals.ts";
import { type Cmcd, decodeCmcd } from "@svta/cml-cmcd";
import type { Fields } from "../views/fields.ts";

/** One report, with the event and field names of beacons. */
export interface CmcdReport {
  sessionId: string;
  /** Counts from 1 in each session. */
  sequence: number;
  name: string;
  /** The report does not show that playback was requested, so it belongs to a view that has already begun. */
  isPassive: boolean;
  /** By the clock of the viewer, epoch ms; null = not stated. */
  viewerAtMs: number | null;
  fields: Fields;
}

export interface CmcdReports {
  reports: CmcdReport[];
  /** Why lines are unusable, and how often. */
  refused: Refused;
}

const MAX_REPORTS = 1000;
const MAX_LINE_LENGTH = 8192;
const MAX_SEQUENCE = 1_000_000;
const MAX_TEXT_LENGTH = 128;

/** Parses a body with one report per line. Unusable lines are counted; nothing is thrown. */
export function readReports(body: string): CmcdReports {
  const read: CmcdReports = { reports: [], refused: {} };
  const refuse = (reason: Refusal, count = 1) => (read.refused[reason] = (read.refused[reason] ?? 0) + count);
  const lines = body.split(/\r?\n/).filter((line) => line.trim() !== "");
  if (lines.length > MAX_REPORTS) refuse("too_many_events", lines.length - MAX_REPORTS);
  for (const line of lines.slice(0, MAX_REPORTS)) {
    const report = readLine(line);
    if (typeof report === "string") refuse(report);
    else if (report !== null) read.reports.push(report);
  }
  return read;
}

/** @returns the report, why it is unusable, or null for one that is not about a view */
function readLine(line: string): CmcdReport | Refusal | null {
  if (line.length > MAX_LINE_LENGTH) return "too_large";
  let data: Cmcd;
  try {
    data = decodeCmcd(line) as Cmcd;
  } catch {
    return "not_cmcd";
  }
  const sessionId = textOf(data.sid);
  if (sessionId === null) return "no_session_id";
  const number = numberOf(data.sn);
  if (number === null || !Number.isInteger(number) || number < 0 || number >= MAX_SEQUENCE) return "no_sequence_number";
  const name = nameOf(data);
  if (name === null) return null;
  const isPassive = data.sta === undefined && name === "pulse";
  return { sessionId, sequence: number + 1, name, isPassive, viewerAtMs: numberOf(data.ts), fields: fieldsOf(data) };
}

/** The beacon event that begins each state of a player. A player that preloads has no view yet. */
const STATES: ReadonlyMap<unknown, string> = new Map([
  ["s", "play"],
  ["p", "playing"],
  ["k", "seeking"],
  ["r", "waiting"],
  ["w", "waiting"], // dash.js, where others say "r"
  ["a", "pause"],
  ["e", "ended"],
  ["f", "error"],
  ["q", "viewCompleted"],
]);

function nameOf({ e, sta, msd }: Cmcd): string | null {
  // The releases of Shaka 5.2 name no states. Playback has started once its delay is known.
  if (sta === undefined) {
    if (e === "e") return "error";
    return e !== "t" && e !== "bc" ? null : numberOf(msd) === null ? "pulse" : "playing";
  }
  const state = STATES.get(sta) ?? null;
  const isWatched = state === "play" || state === "playing" || state === "seeking" || state === "waiting";
  switch (String(e)) {
    case "ps":
      return state;
    case "e":
      return "error";
    case "bc":
      return state === null ? null : "variantChanged";
    case "rr": // reports of single requests; a view describes what the viewer saw
    case "undefined":
      return null;
    default:
      return isWatched ? "pulse" : null; // while paused, they would keep the view from ending by silence
  }
}

/** Fields of beacons with the same meaning. kbit/s are converted to bit/s. */
function fieldsOf(data: Cmcd): Fields {
  const bitrateKbps = highest(data.e === "bc" || data.pb === undefined ? data.br : data.pb);
  const throughputKbps = highest(data.mtp);
  const values = {
    player_playhead_time: numberOf(data.pt),
    view_time_to_first_frame: numberOf(data.msd),
    view_dropped_frame_count: numberOf(data.dfa),
    live_stream_latency: numberOf(data.ltc),
    view_avg_request_throughput: throughputKbps === null ? null : throughputKbps * 1000,
    video_source_bitrate: bitrateKbps === null ? null : bitrateKbps * 1000,
    video_source_type: FORMATS.get(String(data.sf)) ?? null,
    video_stream_type: STREAM_TYPES.get(String(data.st)) ?? null,
    video_cdn: textOf(data.cdn),
    video_source_hostname: textOf(data.h),
    video_id: textOf(data.cid),
    player_is_fullscreen: data.e === "pe" ? true : null,
    player_error_code: textOf(Array.isArray(data.ec) ? data.ec[0] : data.ec),
  };
  return Object.fromEntries(
    Object.entries(values).filter((pair): pair is [string, string | number | true] => pair[1] !== null),
  );
}

const FORMATS: ReadonlyMap<string, string> = new Map([
  ["h", "application/x-mpegurl"],
  ["d", "application/dash+xml"],
]);
const STREAM_TYPES: ReadonlyMap<string, string> = new Map([
  ["v", "on-demand"],
  ["l", "live"],
  ["ll", "live"],
]);

/** A list has one number per kind of media. */
function highest(list: unknown): number | null {
  const numbers = (Array.isArray(list) ? list : [list]).map(numberOf).filter((value) => value !== null);
  return numbers.length === 0 ? null : Math.max(...numbers);
}

/** Items of structured fields may have parameters. */
const bare = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "value" in value ? value.value : value;

function numberOf(value: unknown): number | null {
  const number = bare(value);
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

function textOf(value: unknown): string | null {
  const text = bare(value);
  return typeof text === "string" && text !== "" ? text.slice(0, MAX_TEXT_LENGTH) : null;
}
