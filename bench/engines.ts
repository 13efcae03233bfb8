/**
 * The same views in both engines: a store of a workspace is filled, asked, moved to the distributed engine by the product's own cron and alarms,
 * and asked again. R2 SQL and the stream are the stand-in of the tests, on DuckDB, so its times say nothing about Cloudflare's.
 */
import { Random } from "../scripts/simulate/random.ts";
import { DIMENSIONS } from "../src/analytics/store/dimensions.ts";
import { METRIC_NAMES } from "../src/analytics/questions/metrics.ts";
import { startR2SqlStandIn } from "../test/support/r2-sql-stand-in.ts";
import { type BenchHost, startBenchHost } from "./support/bench-host.ts";
import { fillStore, spanOf } from "./support/fill-store.ts";
import { type Figure, milliseconds, quantile } from "./support/figures.ts";

const VIEWS = Number(process.env["BENCH_VIEWS"] ?? 100_000);
const QUESTIONS = Number(process.env["BENCH_FILTERED"] ?? 120);
const NOW_MS = Date.now();
const MOST_MOVE_MS = 3600_000;
/** The isolate remembers for a minute which engine has the views. */
const KNOWN_MS = 65_000;
const [EXACT, NEAR] = [1e-9, 0.01];
const MEASUREMENTS = ["avg", "sum", "count", "median", "95th"];

export async function run(): Promise<Figure[]> {
  const standIn = await startR2SqlStandIn();
  const base = `${standIn.origin}/bench`;
  const vars = { R2_SQL_URL: `${base}/query`, R2_SQL_TABLE: "sluice.views", R2_SQL_TOKEN: standIn.token };
  const host = await startBenchHost({ ...vars, VIEW_STREAM_URL: `${base}/stream` });
  try {
    await fillStore(host, { views: VIEWS, nowMs: NOW_MS });
    const paths = await questions(host);
    const embedded = await askAll(host, paths);
    const movedMs = await move(host);
    const distributed = await askAll(host, paths);
    return [
      comparison("counts and sums", paths, { embedded, distributed, isQuantile: false }),
      comparison("quantiles", paths, { embedded, distributed, isQuantile: true }),
      {
        name: `the move of ${VIEWS.toLocaleString("en")} views`,
        value: `${(movedMs / 1000).toFixed(0)} s`,
        yardstick: "",
        aim: "",
        isMet: null,
        raw: movedMs,
      },
    ];
  } finally {
    await host.stop();
    await standIn.close();
  }
}

/** Overall, breakdowns and time series with random filters. The values are those that views have. */
async function questions(host: BenchHost): Promise<string[]> {
  const random = new Random(13);
  const one = <Item>(items: readonly Item[]) => items[random.between(0, items.length - 1)]!;
  const span = spanOf(NOW_MS);
  const known = new Map<string, string[]>();
  const valueOf = async (dimension: string): Promise<string> => {
    if (!known.has(dimension)) {
      const { data } = await ask(host, `dimensions/${dimension}?${span}`);
      known.set(
        dimension,
        (data as { value: string }[]).slice(0, 20).map(({ value }) => value),
      );
    }
    const values = known.get(dimension)!;
    return values.length === 0 || random.chance(0.05) ? "' OR '1'='1' --" : one(values);
  };
  const paths: string[] = [];
  for (let index = 0; index < QUESTIONS; index += 1) {
    const filters: string[] = [];
    for (let filter = random.between(0, 3); filter > 0; filter -= 1) {
      const dimension = one(DIMENSIONS);
      const value = encodeURIComponent(await valueOf(dimension));
      filters.push(`&filterby[]=${random.chance(0.5) ? "!" : ""}${dimension}:${value}`);
    }
    const measured = `${span}&measurement=${one(MEASUREMENTS)}${filters.join("")}`;
    const metric = `metrics/${one(METRIC_NAMES)}`;
    paths.push(
      one([
        `${metric}/overall?${measured}`,
        `${metric}/breakdown?${measured}&groupBy=${one(DIMENSIONS)}&orderBy=field&limit=50`,
        `${metric}/timeseries?${measured}&groupBy=${one(["hour", "day"])}`,
      ]),
    );
  }
  return paths;
}

interface Asked {
  data: unknown;
  tookMs: number;
}

async function askAll(host: BenchHost, paths: readonly string[]): Promise<Asked[]> {
  const answers: Asked[] = [];
  for (const path of paths) {
    const startedAt = performance.now();
    const { data } = await ask(host, path);
    answers.push({ data, tookMs: performance.now() - startedAt });
  }
  return answers;
}

async function ask({ baseUrl, authorization }: BenchHost, path: string): Promise<{ data: unknown }> {
  const answer = await fetch(`${baseUrl}/v1/data/${path}`, { headers: { authorization } });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${text}`);
  return JSON.parse(text) as { data: unknown };
}

/** By the cron, each minute, and the alarm of the store. @returns how long it took until the switch */
async function move({ baseUrl, workspaceId }: BenchHost): Promise<number> {
  const url = `${baseUrl}/bare/view-store/${workspaceId}`;
  const startedAt = performance.now();
  await fetch(url, { method: "POST", body: "moving" });
  for (;;) {
    const { state, progress } = (await (await fetch(url)).json()) as { state: string; progress: string | null };
    if (state === "distributed") break;
    const tookMs = performance.now() - startedAt;
    if (tookMs > MOST_MOVE_MS) throw new Error(`still ${state} after ${milliseconds(tookMs)}: ${progress}`);
    console.error(`  ${state} ${progress ?? ""}`);
    await wait(10_000);
  }
  const tookMs = performance.now() - startedAt;
  await wait(KNOWN_MS);
  return tookMs;
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** All numbers of two answers, side by side. @returns null when their shapes or texts differ */
function pairsIn(one: unknown, other: unknown): [number, number][] | null {
  if (typeof one === "number" && typeof other === "number") return [[one, other]];
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return one === other ? [] : null;
  const names = Object.keys(one);
  if (names.join() !== Object.keys(other).join()) return null;
  const pairs = names.map((name) => pairsIn(one[name as keyof typeof one], other[name as keyof typeof other]));
  return pairs.includes(null) ? null : pairs.flatMap((found) => found!);
}

const isQuantileIn = (path: string) => /measurement=(?:median|95th)/.test(path);

function comparison(
  name: string,
  paths: readonly string[],
  { embedded, distributed, isQuantile }: { embedded: Asked[]; distributed: Asked[]; isQuantile: boolean },
): Figure {
  const bound = isQuantile ? NEAR : EXACT;
  const compared = paths.flatMap((path, index) => {
    if (isQuantileIn(path) !== isQuantile) return [];
    const pairs = pairsIn(embedded[index]!.data, distributed[index]!.data);
    const differences = (pairs ?? []).map(([one, other]) => (one === other ? 0 : Math.abs(other / one - 1)));
    const worst = pairs === null ? Infinity : Math.max(0, ...differences);
    if (worst > bound) console.error(`  ${path} differs by ${worst}`);
    return [{ path, values: differences.length, worst, tookMs: [embedded[index]!.tookMs, distributed[index]!.tookMs] }];
  });
  const worst = Math.max(...compared.map((one) => one.worst));
  const medianOf = (engine: number) =>
    milliseconds(
      quantile(
        compared.map(({ tookMs }) => tookMs[engine]!),
        0.5,
      ),
    );
  const values = compared.reduce((sum, one) => sum + one.values, 0);
  return {
    name: `${name}: ${compared.length} questions, ${values.toLocaleString("en")} values (${VIEWS.toLocaleString("en")} views)`,
    value: worst === 0 ? "equal" : `differ by at most ${worst.toExponential(1)}`,
    yardstick: `median ${medianOf(0)} embedded, ${medianOf(1)} by DuckDB`,
    aim: isQuantile ? "≤ 1 %" : "equal, but for the last digits of sums of decimals",
    isMet: worst <= bound,
    raw: compared,
  };
}
