import { z } from "@hono/zod-openapi";
import { ALL } from "../questions/group-key.ts";
import type { Measurement, MetricName } from "../questions/metrics.ts";
import type { Scope } from "../questions/scope.ts";
import type { ViewEngine } from "../questions/view-engine.ts";

interface Item {
  value: number | null;
  type: "number" | "milliseconds" | "percentage" | "mbps";
  name: string;
  metric: string;
  measurement: Measurement | null;
  items: Item[] | null;
}

export const ComparisonItem: z.ZodType<Item> = z
  .object({
    value: z.number().nullable(),
    type: z.enum(["number", "milliseconds", "percentage", "mbps"]),
    name: z.string(),
    metric: z.string(),
    measurement: z.string().nullable(),
    get items() {
      return z.array(ComparisonItem).nullable();
    },
  })
  .openapi("ComparisonItem") as z.ZodType<Item>;

type Type = Item["type"];
interface Branch {
  name: string;
  /** The name here, where it differs from the metric's. */
  shownAs?: string;
  metric: MetricName;
  type: Type;
  measurement: Measurement | null;
  items?: Branch[];
}

const leaf = (
  metric: MetricName,
  type: Type,
  measurement: Measurement | null,
  name: string,
  shownAs?: string,
): Branch => ({ metric, type, measurement, name, ...(shownAs === undefined ? {} : { shownAs }) });
const each = (
  metric: MetricName,
  type: Type,
  measurements: readonly Measurement[],
  name: string,
  shownAs?: string,
): Branch[] => measurements.map((measurement) => leaf(metric, type, measurement, name, shownAs));

const TYPICAL = ["median", "95th"] as const;
const SCALING = ["median", "95th", "avg"] as const;

/** The tree (media contract, analytics: "Comparison tree"). */
const TREE: readonly Branch[] = [
  {
    ...leaf("views", "number", "count", "Views"),
    items: [
      leaf("unique_viewers", "number", "count", "Unique viewers"),
      ...each("playing_time", "milliseconds", ["sum", "median", "avg"], "Playing time"),
    ],
  },
  leaf("quality_of_experience_score", "number", "avg", "Overall score", "overall_score"),
  {
    ...leaf("playback_score", "number", "avg", "Playback success score", "playback_success_score"),
    items: [
      leaf("playback_failure_percentage", "percentage", null, "Playback failures"),
      leaf("video_startup_failure_percentage", "percentage", null, "Video startup failures"),
      leaf("exit_before_video_start", "percentage", null, "Exits before video start"),
    ],
  },
  {
    ...leaf("startup_score", "number", "avg", "Startup score"),
    items: [
      ...each("video_startup_time", "milliseconds", TYPICAL, "Video startup time"),
      ...each("player_startup_time", "milliseconds", TYPICAL, "Player startup time"),
      ...each("page_load_time", "milliseconds", TYPICAL, "Page load time"),
      ...each("total_startup_time", "milliseconds", TYPICAL, "Total startup time"),
      leaf("jump_latency", "milliseconds", "avg", "Seek latency"),
    ],
  },
  {
    ...leaf("stability_score", "number", "avg", "Stability score"),
    items: [
      leaf("buffer_ratio", "percentage", null, "Buffer ratio"),
      leaf("buffer_frequency", "number", null, "Buffer frequency"),
      ...each("buffer_fill", "milliseconds", TYPICAL, "Buffer fill"),
      ...each("buffer_count", "number", TYPICAL, "Buffer count"),
    ],
  },
  {
    ...leaf("render_quality_score", "number", "avg", "Render quality score"),
    items: [
      ...each("avg_upscaling", "percentage", SCALING, "Upscaling", "upscale_percentage"),
      ...each("avg_downscaling", "percentage", SCALING, "Downscaling", "downscale_percentage"),
      ...each("max_upscaling", "percentage", TYPICAL, "Maximum upscaling", "max_upscale_percentage"),
      ...each("max_downscaling", "percentage", TYPICAL, "Maximum downscaling", "max_downscale_percentage"),
      ...each("average_bitrate", "mbps", TYPICAL, "Average bitrate"),
      ...each("live_stream_latency", "milliseconds", TYPICAL, "Live stream latency"),
    ],
  },
];

const SCORES = new Set<MetricName>([
  "quality_of_experience_score",
  "playback_score",
  "startup_score",
  "stability_score",
  "render_quality_score",
]);

/** All metrics of the views in scope. Scores are averages over views that did not fail. */
export async function comparisonOf(engine: ViewEngine, scope: Scope): Promise<Item[]> {
  const succeeded = {
    ...scope,
    filters: [...scope.filters, { dimension: "playback_failed", value: "true", isExcluded: true }],
  };
  const branchOf = async (branch: Branch): Promise<Item> => {
    const { metric, measurement } = branch;
    const question = { metric, measurement: measurement ?? "avg", key: ALL };
    const [all] = await engine.group({ ...question, scope: SCORES.has(metric) ? succeeded : scope });
    const isCount = metric === "views" || metric === "unique_viewers";
    return {
      value: all?.value ?? (isCount ? 0 : null),
      type: branch.type,
      name: branch.name,
      metric: branch.shownAs ?? metric,
      measurement,
      items: branch.items === undefined ? null : await inTurn(branch.items),
    };
  };
  const inTurn = async (branches: readonly Branch[]): Promise<Item[]> => {
    const items: Item[] = [];
    for (const branch of branches) items.push(await branchOf(branch)); // in turn, because a request has six connections
    return items;
  };
  return await inTurn(TREE);
}
