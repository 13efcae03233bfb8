/** The tools that agents have. Each is one operation of the API, from whose description its own is made (`describe-tools.ts`). */

export interface ToolEntry {
  name: string;
  /** As the OpenAPI document has it. */
  route: `${"GET" | "POST" | "PATCH"} /v1/${string}`;
  /** What an agent should know besides the description of the operation. */
  hint?: string;
  /** Parameters of the operation that the tool does not have. */
  without?: readonly string[];
  /** Fields of the body that the tool always sends, and does not let the caller choose. */
  fixed?: Readonly<Record<string, unknown>>;
  /** A PATCH that replaces nothing: the API refuses it where there is something already. */
  onlyAdds?: true;
  /** What an agent can do when the answer is too long, where it cannot ask for fewer rows. */
  tooLong?: string;
  /** Fields of the answer that are returned although they give access to something; see `without-secrets.ts`. */
  keeps?: readonly string[];
}

const COSTS_AI =
  "This tool neither removes a result nor makes one again that is there. May cost money: get_ai_usage has the budget.";
const KEYS_WITHHELD = "Keys and the addresses for encoders are withheld.";

/**
 * No tool deletes, and none makes or returns a secret, a credential or a webhook. The one exception is the address of a new upload, without which
 * an upload is of no use: it takes one file within 24 hours, and opens nothing else.
 */
export const TOOLS: readonly ToolEntry[] = [
  { name: "list_media", route: "GET /v1/on-demand" },
  { name: "search_media", route: "GET /v1/on-demand/search" },
  { name: "get_media", route: "GET /v1/on-demand/{mediaId}" },
  {
    name: "create_media",
    route: "POST /v1/on-demand",
    hint: "Costs encoding and storage. A range or a clip of a media is made here too, with `fp_mediaId://{mediaId}` as the URL.",
  },
  {
    name: "update_media",
    route: "PATCH /v1/on-demand/{mediaId}",
    hint: "This tool has no `metadata`, because that is replaced as a whole.",
    without: ["metadata"], // pairs that an agent leaves out would be deleted
  },
  {
    name: "create_upload",
    route: "POST /v1/on-demand/upload",
    hint: "`data.url` and `page_url` take one file and open nothing else: PUT the file to the first, or give the second to a person. Whoever has them can send the file.",
    keeps: ["url", "page_url"],
  },
  { name: "list_playback_ids", route: "GET /v1/on-demand/{mediaId}/playback-ids" },
  {
    name: "generate_captions",
    route: "POST /v1/on-demand/{mediaId}/tracks/{trackId}/generate-subtitles",
    hint: "`trackId` is an audio track of get_media. May cost money: get_ai_usage has the budget.",
  },
  {
    name: "get_captions",
    route: "GET /v1/on-demand/{mediaId}/tracks/{trackId}/vtt",
    hint: "`trackId` is a subtitle track of get_media.",
    tooLong: "search_media finds the places where words are said",
  },
  {
    name: "make_summary",
    route: "PATCH /v1/on-demand/{mediaId}/summary",
    hint: `${COSTS_AI} get_summary reads it.`,
    without: ["replace"],
    fixed: { generate: true }, // false would delete it
    onlyAdds: true,
  },
  { name: "get_summary", route: "GET /v1/on-demand/{mediaId}/summary" },
  {
    name: "make_chapters",
    route: "PATCH /v1/on-demand/{mediaId}/chapters",
    hint: `${COSTS_AI} get_media has them.`,
    without: ["replace"],
    fixed: { chapters: true },
    onlyAdds: true,
  },
  { name: "get_engagement", route: "GET /v1/data/media/{mediaId}/engagement" },
  { name: "list_views", route: "GET /v1/data/viewlist" },
  { name: "get_view", route: "GET /v1/data/viewlist/{viewId}" },
  { name: "list_top_content", route: "GET /v1/data/viewlist/top-content" },
  { name: "list_dimension_values", route: "GET /v1/data/dimensions/{dimensionsId}" },
  { name: "get_metric", route: "GET /v1/data/metrics/{metricId}/overall" },
  { name: "break_down_metric", route: "GET /v1/data/metrics/{metricId}/breakdown" },
  { name: "get_metric_timeseries", route: "GET /v1/data/metrics/{metricId}/timeseries" },
  { name: "list_errors", route: "GET /v1/data/errors" },
  { name: "get_viewers_now", route: "GET /v1/data/now" },
  { name: "list_events", route: "GET /v1/events" },
  { name: "list_live_streams", route: "GET /v1/live/streams", hint: KEYS_WITHHELD },
  { name: "get_live_stream", route: "GET /v1/live/streams/{streamId}", hint: KEYS_WITHHELD },
  { name: "get_limits", route: "GET /v1/limits" },
  { name: "get_ai_usage", route: "GET /v1/ai/usage" },
];
