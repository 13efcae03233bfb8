import { isNumericColumn, VIEW_COLUMNS } from "./columns.ts";

/** Columns of the distributed table that the embedded one does not have. */
const FURTHER = ["workspace_id", "month", "viewer_hash", "sdk_viewer_hash", "timeline", "watched"];

/** The schema of the stream, as `wrangler pipelines streams create --schema-file` takes it. */
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
