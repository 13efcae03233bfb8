import { isNumericColumn, VIEW_COLUMNS } from "./columns.ts";

/** Columns that only the distributed table has. */
const FURTHER = ["workspace_id", "month", "viewer_hash", "sdk_viewer_hash", "timeline", "watched"];

/** The stream's schema, for `wrangler pipelines streams create --schema-file`. */
export const STREAM_SCHEMA = {
  fields: [
    ...[...VIEW_COLUMNS, ...FURTHER].map((name) => ({
      name,
      type: isNumericColumn(name) ? "float64" : "string",
      required: false,
    })),
    { name: "batch", type: "float64", required: true },
  ],
};
