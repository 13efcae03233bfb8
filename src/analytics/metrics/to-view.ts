import { z } from "@hono/zod-openapi";
import type { Row, StoredView } from "../store/store-calls.ts";
import { shortTimeline } from "../views/short-timeline.ts";

const text = z.string().nullable();
const whole = z.int().nullable();
const decimal = z.number().nullable();

export const ViewItem = z
  .object({
    viewId: z.uuid(),
    operatingSystem: text,
    application: text,
    viewStartTime: z.string().openapi({ description: "UTC, without a zone" }),
    viewEndTime: z.string().openapi({ description: "UTC, without a zone" }),
    videoTitle: text,
    errorCode: text,
    errorMessage: text,
    errorId: text,
    country: text,
    viewWatchTime: z.int().openapi({ description: "Milliseconds" }),
    QoeScore: decimal,
  })
  .openapi("ViewItem");

const iso = (value: unknown): string => new Date(Number(value)).toISOString();
const textOf = (value: string | number | null | undefined): string | null => (value == null ? null : String(value));

export const toViewItem = (row: Row): z.output<typeof ViewItem> => ({
  viewId: String(row["view_id"]),
  operatingSystem: textOf(row["os_name"]),
  application: textOf(row["browser_name"]),
  viewStartTime: iso(row["view_start_ms"]).replace("Z", ""),
  viewEndTime: iso(row["view_end_ms"]).replace("Z", ""),
  videoTitle: textOf(row["video_title"]),
  errorCode: textOf(row["error_code"]),
  errorMessage: textOf(row["error_message"]),
  errorId: row["error_code"] == null ? null : String(errorId(String(row["error_code"]), String(row["error_message"]))),
  country: textOf(row["country"]),
  viewWatchTime: Math.round(Number(row["watch_ms"])),
  QoeScore: row["experience_score"] == null ? null : Number(row["experience_score"]),
});

/** Equal errors have equal ids (FNV-1a, 31 bits). */
export function errorId(code: string, message: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(`${code}\n${message}`)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 1;
}

/** The record of one view: see the media contract, analytics, "View record". */
export const View = z
  .looseObject({
    viewId: z.uuid(),
    workspaceId: z.uuid(),
    viewStart: z.iso.datetime(),
    viewEnd: z.iso.datetime(),
    watchTime: whole,
    qualityOfExperienceScore: decimal,
    events: z.array(
      z.object({
        e: z.string(),
        pt: whole.openapi({ description: "Playhead, ms" }),
        vt: z.int().openapi({ description: "Epoch ms" }),
        d: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
      }),
    ),
  })
  .openapi("View", {
    description: "All fields of the record of a view. Times are milliseconds, scores and ratios 0 to 1",
  });

export function toView({ view, timeline }: StoredView): z.output<typeof View> {
  const { viewStartMs, viewEndMs, insertedAtMs, updatedAtMs, isFinal, custom, ...fields } = view;
  return {
    ...fields,
    viewStart: iso(viewStartMs),
    viewEnd: iso(viewEndMs),
    insertTimestamp: iso(insertedAtMs),
    updatedTimestamp: iso(updatedAtMs),
    isFinal,
    countryCode: view.country,
    osVersion: view.osVersion ?? "",
    errorId: view.errorCode === null ? null : errorId(view.errorCode, view.errorMessage ?? ""),
    custom: {
      Custom: Object.entries(custom).map(([dimensionName, value]) => ({
        dimensionName,
        displayName: dimensionName,
        value,
      })),
    },
    // Not stored. Strict clients expect the fields.
    ipAddress: "",
    city: null,
    latitude: null,
    longitude: null,
    propertyId: null,
    fpApiVersion: view.fpApiVersion ?? null, // views stored until 2026-11-28 lack it
    fpEmbed: null,
    fpEmbedVersion: null,
    sign: "1",
    events: shortTimeline(timeline), // views stored until 2026-11-28 have all events
  };
}
