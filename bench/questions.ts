/**
 * Questions about a million views of a workspace, each compared with its own SQL, executed by `node:sqlite` on the very file of the view
 * store. The page of all metrics has an aim of its own.
 */
import { once } from "node:events";
import { readdir, stat } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { type BenchHost, startBenchHost } from "./support/bench-host.ts";
import { fillStore, spanOf } from "./support/fill-store.ts";
import { type Figure, milliseconds, quantile } from "./support/figures.ts";

const VIEWS = Number(process.env["BENCH_VIEWS"] ?? 1_000_000);
const ROUNDS = Number(process.env["BENCH_QUESTION_ROUNDS"] ?? 20);
const MOST_RATIO = 1.3;
const MOST_PAGE_MS = 1500;
const NOW_MS = Date.now();

export async function run(): Promise<Figure[]> {
  const host = await startBenchHost();
  try {
    await fillStore(host, { views: VIEWS, nowMs: NOW_MS });
    const database = new DatabaseSync(await storeFile(host), { readOnly: true });
    const figures: Figure[] = [];
    for (const [name, path] of Object.entries(QUESTIONS))
      figures.push(await compareQuestion(host, database, name, path));
    figures.push(await pageOfMetrics(host));
    database.close();
    return figures;
  } finally {
    await host.stop();
  }
}

/** The largest file of the stores: the others belong to no workspace. */
async function storeFile({ state }: BenchHost): Promise<string> {
  const folder = join(state, "do", "sluice-ViewStore");
  const files = (await readdir(folder)).filter((name) => name.endsWith(".sqlite"));
  const sized = await Promise.all(
    files.map(async (name) => ({ path: join(folder, name), size: (await stat(join(folder, name))).size })),
  );
  return sized.toSorted((one, other) => other.size - one.size)[0]!.path;
}

const span = spanOf(NOW_MS);
interface Query {
  sql: string;
  values: (string | number | null)[];
}

const QUESTIONS: Record<string, string> = {
  "overall, average": `metrics/quality_of_experience_score/overall?${span}&measurement=avg`,
  "overall, median of many values": `metrics/playing_time/overall?${span}&measurement=median`,
  "breakdown by country, 95th percentile": `metrics/video_startup_time/breakdown?${span}&groupBy=country&measurement=95th`,
  "timeseries by hour, average": `metrics/video_startup_time/timeseries?${span}&groupBy=hour&measurement=avg`,
  "list, the newest 50": `viewlist?${span}&limit=50&sortOrder=desc`,
};

/** Product and yardstick alternate, so that both have the same noise. */
async function compareQuestion(host: BenchHost, database: DatabaseSync, name: string, path: string): Promise<Figure> {
  const queries = await queriesOf(host, path);
  const statements = queries.map(({ sql, values }) => ({ statement: database.prepare(sql), values }));
  const rounds: { product: number; yardstick: number }[] = [];
  for (let round = -1; round < ROUNDS; round += 1) {
    const product = await timeOf(() => request(host, path));
    const yardstick = await timeOf(() => statements.map(({ statement, values }) => statement.all(...values)));
    if (round >= 0) rounds.push({ product, yardstick }); // the first fills the caches of both
  }
  const [product, yardstick] = [rounds.map((one) => one.product), rounds.map((one) => one.yardstick)];
  const ratio = quantile(product, 0.95) / quantile(yardstick, 0.95);
  console.error(`  ${name}: ${ratio.toFixed(2)} ×`);
  return {
    name: `${name} (${VIEWS.toLocaleString("en")} views)`,
    value: `${ratio.toFixed(2)} × (p95 ${milliseconds(quantile(product, 0.95))})`,
    yardstick: `the same SQL by node:sqlite: ${milliseconds(quantile(yardstick, 0.95))}`,
    aim: `≤ ${MOST_RATIO} ×`,
    isMet: ratio <= MOST_RATIO,
    raw: rounds,
  };
}

async function pageOfMetrics(host: BenchHost): Promise<Figure> {
  const times: number[] = [];
  for (let round = -1; round < ROUNDS; round += 1) {
    const time = await timeOf(() => request(host, `metrics/comparison?${span}`));
    if (round >= 0) times.push(time);
  }
  const p95 = quantile(times, 0.95);
  return {
    name: `all metrics at once (${VIEWS.toLocaleString("en")} views)`,
    value: `p95 ${milliseconds(p95)}`,
    yardstick: "",
    aim: `≤ ${milliseconds(MOST_PAGE_MS)}`,
    isMet: p95 <= MOST_PAGE_MS,
    raw: times,
  };
}

/** The SQL that the product sends to the store for a question. */
async function queriesOf(host: BenchHost, path: string): Promise<Query[]> {
  const asked = async () => (await fetch(`${host.baseUrl}/bare/asked/${host.workspaceId}`)).json() as Promise<Query[]>;
  await asked();
  await request(host, path);
  return await asked();
}

async function request({ baseUrl, authorization }: BenchHost, path: string): Promise<void> {
  // Without a pool: while the yardstick runs, this process cannot see that an idle connection has been closed.
  const [answer] = (await once(
    get(`${baseUrl}/v1/data/${path}`, { agent: false, headers: { authorization } }),
    "response",
  )) as [IncomingMessage];
  const body = await text(answer);
  if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${body}`);
}

async function timeOf(act: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await act();
  return performance.now() - startedAt;
}
