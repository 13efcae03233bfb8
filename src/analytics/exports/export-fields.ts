/** The fields of exported views: those of `GET /v1/data/viewlist/{viewId}`, flat. Pure. */
import { edgeFactsOf } from "../beacons/read-edge-facts.ts";
import { toView } from "../metrics/to-view.ts";
import type { StoredView } from "../store/store-calls.ts";
import { mergeEvents } from "../views/merged-view.ts";
import { CUSTOM_FIELDS, viewRecordOf } from "../views/view-record.ts";

type ViewRow = Record<string, unknown>;

/** Fields that strict clients of the record expect, but that are not stored. */
const NOT_STORED = ["ipAddress", "city", "latitude", "longitude", "propertyId", "fpEmbed"];
const LEFT_OUT = new Set([...NOT_STORED, "fpEmbedVersion", "sign", "custom", "events"]);
const FIRST = ["viewId", "viewStart", "viewEnd", "videoTitle", "watchTime", "qualityOfExperienceScore"];

/** @returns the fields of a view that can be exported, by name */
export function flatView(view: StoredView["view"]): ViewRow {
  const { custom } = view;
  const fields = Object.entries(toView({ view, timeline: [] })).filter(([name]) => !LEFT_OUT.has(name));
  return {
    ...Object.fromEntries(fields),
    ...Object.fromEntries(CUSTOM_FIELDS.map((name) => [name, custom[name] ?? null])),
  };
}

/** All names, the most important first. */
export const EXPORT_FIELDS: readonly string[] = (() => {
  const nothing = mergeEvents([{ sequence: 1, name: "viewBegin", atMs: 0, fields: {} }]);
  const record = viewRecordOf(nothing, {
    workspaceId: "",
    viewId: "",
    edge: edgeFactsOf(new Headers(), undefined),
    content: null,
    isFinal: true,
    insertedAtMs: 0,
    updatedAtMs: 0,
  });
  return [...new Set([...FIRST, ...Object.keys(flatView(record))])];
})();
