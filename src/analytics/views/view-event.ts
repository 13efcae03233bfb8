import type { Fields } from "./fields.ts";

/** One event of a view, as its machine stores it. */
export interface ViewEvent {
  /** Counts from 1, in the player's order. */
  sequence: number;
  name: string;
  /** By our clock, epoch ms. */
  atMs: number;
  /** The fields that changed since the previous event. */
  fields: Fields;
}

/** When the view began, epoch ms. Players may send events of their own start before `viewBegin`. @param events in order, at least one */
export const startOf = (events: readonly ViewEvent[]): number =>
  events.find(({ name }) => name === "viewBegin")?.atMs ?? Math.min(...events.map(({ atMs }) => atMs));

/** An event as JSON, with the facts that its machine needs. Neither the call nor the machine parses its fields. */
export interface EncodedEvent extends Pick<ViewEvent, "sequence" | "name"> {
  json: string;
}

export const encodeEvent = (event: ViewEvent): EncodedEvent => {
  return { sequence: event.sequence, name: event.name, json: JSON.stringify(event) };
};

/** An event of a view as `GET /v1/data/viewlist/{viewId}` returns it (media contract, analytics: "View record"). */
export interface TimelineEvent {
  e: string;
  /** Position of the playhead, ms. */
  pt: number | null;
  /** Epoch ms. */
  vt: number;
  d?: Record<string, string | number>;
}

/** Of a codec. A record has up to 500 events. */
const MAX_TEXT_LENGTH = 64;
const VARIANT = {
  br: "video_source_bitrate",
  h: "video_source_height",
  w: "video_source_width",
  fps: "video_source_fps",
  cd: "video_source_codec",
};

/** @param events in order */
export function timelineOf(events: readonly ViewEvent[]): TimelineEvent[] {
  return events.map(({ name, atMs, fields }) => {
    const playhead = fields["player_playhead_time"];
    const pt = typeof playhead === "number" ? Math.round(playhead) : null;
    return { e: name, pt, vt: Math.round(atMs), ...(name === "variantChanged" ? { d: variantOf(fields) } : {}) };
  });
}

function variantOf(fields: Fields): Record<string, string | number> {
  const known = Object.entries(VARIANT).map(([short, field]) => [short, fields[field]] as const);
  return Object.fromEntries(
    known
      .filter((pair): pair is [string, string | number] => isShown(pair[1]))
      .map(([short, value]) => [short, typeof value === "string" ? value.slice(0, MAX_TEXT_LENGTH) : value]),
  );
}

const isShown = (value: unknown) => typeof value === "string" || typeof value === "number";
