/**
 * Questions to the search among a million captions of a workspace, over HTTP. Each is compared with the index's own SQL for it, executed by
 * `node:sqlite` on the very file of the index.
 */
import { once } from "node:events";
import { readdir, stat } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { json } from "node:stream/consumers";
import { findHits, type RunSql } from "../src/ai/search/find-hits.ts";
import { matchQuery } from "../src/ai/search/match-query.ts";
import { type BenchHost, startBenchHost } from "./support/bench-host.ts";
import { type Figure, milliseconds, quantile } from "./support/figures.ts";
import { CHINESE, type CaptionFilling } from "./worker/caption-filling.ts";

const CAPTIONS = Number(process.env["BENCH_CAPTIONS"] ?? 1_000_000);
const CAPTIONS_OF_TRACK = 1000;
const ROUNDS = 20;
const MOST_MS = 100;
const PAGE = 25;

/** `isBound`: of words in one of a hundred captions or fewer, for which there is an aim. */
const QUESTIONS: { name: string; q: string; isBound: boolean }[] = [
  { name: "a word in one of 10,000 captions", q: "seldom", isBound: true },
  { name: "a word in one of 100", q: "percentage", isBound: true },
  { name: "the beginning of one", q: "percen", isBound: true },
  { name: "one with a word in one of 2", q: "everywhere percentage", isBound: true },
  { name: "three characters of Chinese in one of 100", q: CHINESE, isBound: true },
  { name: "a word in one of 2 (partial)", q: "everywhere", isBound: false },
  { name: "the two letters with which most words begin", q: "et", isBound: false },
];

export async function run(): Promise<Figure[]> {
  const host = await startBenchHost();
  try {
    const filled = await fill(host);
    const database = new DatabaseSync(await indexFile(host), { readOnly: true });
    const figures: Figure[] = [filled];
    for (const question of QUESTIONS) figures.push(await compareQuestion(host, database, question));
    database.close();
    return figures;
  } finally {
    await host.stop();
  }
}

async function fill({ baseUrl, workspaceId }: BenchHost): Promise<Figure> {
  const startedAt = performance.now();
  let has = { cues: 0, bytes: 0 };
  for (let number = 0; has.cues < CAPTIONS; number += 1) {
    const filling = { workspaceId, number, captions: CAPTIONS_OF_TRACK } satisfies CaptionFilling;
    const answer = await fetch(`${baseUrl}/bare/captions`, { method: "POST", body: JSON.stringify(filling) });
    if (!answer.ok) throw new Error(`filling answered ${answer.status}: ${await answer.text()}`);
    has = (await answer.json()) as typeof has;
    if (number % 100 === 99) console.error(`  ${has.cues} captions`);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    name: `indexing, ${CAPTIONS_OF_TRACK.toLocaleString("en")} captions in a commit`,
    value: `${Math.round(has.cues / seconds).toLocaleString("en")} captions a second`,
    yardstick: `${Math.round(has.bytes / has.cues)} bytes a caption`,
    aim: "",
    isMet: null,
    raw: { ...has, seconds },
  };
}

/** The largest file of the indexes: the others belong to no workspace. */
async function indexFile({ state }: BenchHost): Promise<string> {
  const folder = join(state, "do", "sluice-SearchIndex");
  const files = (await readdir(folder)).filter((name) => name.endsWith(".sqlite"));
  const sized = await Promise.all(
    files.map(async (name) => ({ path: join(folder, name), size: (await stat(join(folder, name))).size })),
  );
  return sized.toSorted((one, other) => other.size - one.size)[0]!.path;
}

/** Product and yardstick alternate, so that both have the same noise. */
async function compareQuestion(
  host: BenchHost,
  database: DatabaseSync,
  { name, q, isBound }: (typeof QUESTIONS)[number],
): Promise<Figure> {
  const rounds: { product: number; yardstick: number }[] = [];
  let hits = "";
  for (let round = -1; round < ROUNDS; round += 1) {
    const product = await timeOf(async () => (hits = await ask(host, q)));
    const yardstick = await timeOf(() => askSqlite(database, q));
    if (round >= 0) rounds.push({ product, yardstick }); // the first fills the caches of both
  }
  const p95 = quantile(
    rounds.map((one) => one.product),
    0.95,
  );
  const plain = quantile(
    rounds.map((one) => one.yardstick),
    0.95,
  );
  console.error(`  ${name}: ${milliseconds(p95)}, ${hits}`);
  return {
    name,
    value: `p95 ${milliseconds(p95)} (${hits})`,
    yardstick: `the same SQL by node:sqlite: ${milliseconds(plain)}`,
    aim: isBound ? `≤ ${milliseconds(MOST_MS)}` : "",
    isMet: isBound ? p95 <= MOST_MS : null,
    raw: rounds,
  };
}

/** @returns what the answer has, in words */
async function ask({ baseUrl, authorization }: BenchHost, q: string): Promise<string> {
  // Without a pool: while the yardstick runs, this process cannot see that an idle connection has been closed.
  const path = `/v1/on-demand/search?limit=${PAGE}&q=${encodeURIComponent(q)}`;
  const [answer] = (await once(get(`${baseUrl}${path}`, { agent: false, headers: { authorization } }), "response")) as [
    IncomingMessage,
  ];
  const body = (await json(answer)) as { data: object[]; isPartial: boolean };
  if (answer.statusCode !== 200 || body.data.length === 0)
    throw new Error(`${q} was answered ${answer.statusCode}: ${JSON.stringify(body)}`);
  return body.isPartial ? "partial" : "all hits";
}

/** As the index does, in this process. */
function askSqlite(database: DatabaseSync, q: string): void {
  const run = ((sql, ...values) => database.prepare(sql).all(...values)) as RunSql;
  const { hits } = findHits(run, { match: matchQuery(q)!, after: null, limit: 2 * PAGE });
  if (hits.length === 0) throw new Error(`${q} has no hits`);
}

async function timeOf(act: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await act();
  return performance.now() - startedAt;
}
