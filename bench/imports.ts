/** Migrations: how fast media are created, how long a dry run takes, and the memory of a batch of 500,000 videos. */
import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { createImport, untilImport } from "../test/support/imports/migrations.ts";
import { startTestPlatform, type TestPlatform } from "../test/support/platform.ts";
import { type SourceServer, startSourceServer } from "../test/support/source-server.ts";
import { type Figure, median, milliseconds } from "./support/figures.ts";
import { openHeap } from "./support/heap.ts";

/** Media of a round. */
const SUBMITTED = Number(process.env.BENCH_IMPORTED ?? 600);
const ROUNDS = 3;
/** Connections of the bare requests: as many videos as a list's batch works on at once. */
const CONNECTIONS = 16;
const DRY_RUN = 200_000;
const MOST = 500_000;
const LIMIT_MS = 1_800_000;
const MIB = 2 ** 20;
const SAMPLE_MS = 500;
const POLL_MS = 50;
/** The window of media in preparation follows the encoders; here the creations alone are measured. */
const VARS = { ENCODER_CONTAINERS: "100000" };
const mebibytes = (bytes: number) => `${Math.round(bytes / MIB)} MiB`;

const rows = (count: number, url: (n: number) => string, prefix: string): string =>
  Array.from({ length: count }, (_, n) =>
    JSON.stringify({ id: `${prefix}-${n}`, url: url(n), title: `Video ${n}`, metadata: { sku: String(n) } }),
  ).join("\n");

async function storeList(platform: TestPlatform, body: string): Promise<string> {
  const headers = { authorization: platform.authorization, "content-type": "application/x-ndjson" };
  const response = await fetch(`${platform.baseUrl}/v1/imports/lists`, { method: "POST", headers, body });
  const { data } = (await response.json()) as { data: { listId: string; rows: number } };
  if (response.status !== 201) throw new Error(`the list was refused: ${response.status} ${JSON.stringify(data)}`);
  return data.listId;
}

/**
 * Files that a second of `work` asks the source for. A creation answers before its media's machine has begun, so the rate of answers alone
 * leaves work behind; the request for the file is the first thing that a machine does.
 */
async function startedPerSecond(server: SourceServer, work: () => Promise<void>): Promise<number> {
  server.forget();
  const startedAt = performance.now();
  await work();
  while (new Set(server.requests.map(({ path }) => path)).size < SUBMITTED) {
    if (performance.now() - startedAt > LIMIT_MS) throw new Error("not every file was asked for");
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
  return SUBMITTED / ((performance.now() - startedAt) / 1000);
}

/** Of a batch, from its start after the dry run. */
async function byBatch(platform: TestPlatform, server: SourceServer): Promise<number> {
  const list = rows(SUBMITTED, (n) => server.url(`/silent/${n}`), "video");
  const source = { type: "list", listId: await storeList(platform, list) };
  const { id } = await createImport(platform, { source, dryRun: true });
  await untilImport(platform, id, ({ status }) => status === "scanned", LIMIT_MS);
  return startedPerSecond(server, async () => {
    await platform.api("POST", `/v1/imports/${id}/start`, {});
  });
}

/** Of `POST /v1/on-demand`, with the fields that a migration sets. */
async function byPosts(platform: TestPlatform, server: SourceServer): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let next = 0;
  const connection = async () => {
    for (let n = next++; n < SUBMITTED; n = next++) await post(agent, platform, bodyOf(server, n));
  };
  const perSecond = await startedPerSecond(server, async () => {
    await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  });
  agent.destroy();
  return perSecond;
}

const bodyOf = (server: SourceServer, n: number) =>
  JSON.stringify({
    inputs: [{ type: "video", url: server.url(`/silent/${n}`) }],
    accessPolicy: "private",
    title: `Video ${n}`,
    metadata: { originPlaformVideoId: `video-${n}`, sku: String(n) },
  });

async function post(agent: Agent, { baseUrl, authorization }: TestPlatform, body: string): Promise<void> {
  const headers = { authorization, "content-type": "application/json" };
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const sent = request(`${baseUrl}/v1/on-demand`, { agent, method: "POST", headers }, (response) => {
    text(response).then((answer) => {
      if (response.statusCode === 201) resolve();
      else reject(new Error(`a creation answered ${response.statusCode}: ${answer}`));
    }, reject);
  });
  sent.once("error", reject);
  sent.end(body);
  await promise;
}

/** On a platform of its own: media whose source never answers would go on with their work during the next measurement. */
async function onFreshPlatform<T>(work: (platform: TestPlatform) => Promise<T>): Promise<T> {
  const platform = await startTestPlatform({ vars: VARS });
  try {
    return await work(platform);
  } finally {
    await platform.stop();
    await platform.removeHome();
  }
}

async function measureRate(server: SourceServer): Promise<Figure> {
  const rounds: { batch: number; bare: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const batch = await onFreshPlatform((platform) => byBatch(platform, server));
    rounds.push({ batch, bare: await onFreshPlatform((platform) => byPosts(platform, server)) });
  }
  const ratio = median(rounds.map(({ batch, bare }) => batch / bare));
  return {
    name: "media that a batch creates and starts, a second",
    value: `${Math.round(median(rounds.map(({ batch }) => batch)))}, ${ratio.toFixed(2)} ×`,
    yardstick: `bare POST /v1/on-demand: ${Math.round(median(rounds.map(({ bare }) => bare)))}`,
    aim: "≥ 0.8 ×",
    isMet: ratio >= 0.8,
    raw: rounds,
  };
}

/** The time of a dry run over a stored list, whose answering time is a part of it, and the isolate's memory without garbage meanwhile. */
async function dryRun(platform: TestPlatform, server: SourceServer, count: number) {
  const list = rows(count, () => server.url("/file.mp4"), `dry-${count}`);
  const storedAt = performance.now();
  const listId = await storeList(platform, list);
  const storedMs = performance.now() - storedAt;
  const heap = await openHeap(platform.settings.inspectorPort!, "sluice");
  const samples: number[] = [];
  const over = new AbortController();
  const sampling = (async () => {
    while (!over.signal.aborted) {
      samples.push(await heap.bytesInUse());
      await new Promise((done) => setTimeout(done, SAMPLE_MS));
    }
  })();
  const startedAt = performance.now();
  const { id } = await createImport(platform, { source: { type: "list", listId }, dryRun: true });
  const { counts } = await untilImport(platform, id, ({ status }) => status === "scanned", LIMIT_MS);
  const tookMs = performance.now() - startedAt;
  over.abort();
  await sampling;
  heap.close();
  if (counts.total !== count) throw new Error(`the scan found ${counts.total} of ${count} videos`);
  await platform.api("POST", `/v1/imports/${id}/cancel`);
  return { tookMs, storedMs, peakBytes: Math.max(...samples), samples };
}

export async function run(): Promise<Figure[]> {
  const server = await startSourceServer({
    fallback: ({ pathname }) =>
      pathname.startsWith("/silent/") ? { kind: "hang" } : { kind: "content", content: new Uint8Array(100_000) },
  });
  const dry = await startTestPlatform({ vars: VARS, inspected: true });
  const figures: Figure[] = [];
  try {
    const small = await dryRun(dry, server, DRY_RUN);
    const large = await dryRun(dry, server, MOST);
    figures.push(
      {
        name: `dry run of ${DRY_RUN.toLocaleString("en-US")} videos of a list`,
        value: milliseconds(small.tookMs),
        yardstick: `stored in ${milliseconds(small.storedMs)}`,
        aim: "≤ 60 s",
        isMet: small.tookMs <= 60_000,
        raw: { tookMs: small.tookMs, storedMs: small.storedMs },
      },
      {
        name: `memory of a batch of ${MOST.toLocaleString("en-US")}, without garbage`,
        value: mebibytes(large.peakBytes),
        yardstick: `${DRY_RUN.toLocaleString("en-US")}: ${mebibytes(small.peakBytes)}`,
        aim: "≤ 1.2 ×, ≤ 128 MiB",
        isMet: large.peakBytes <= 1.2 * small.peakBytes && large.peakBytes <= 128 * MIB,
        raw: { small: small.samples, large: large.samples, tookMs: large.tookMs },
      },
    );
  } finally {
    await dry.stop();
    await dry.removeHome();
  }
  try {
    figures.unshift(await measureRate(server));
  } finally {
    await server.stop();
  }
  return figures;
}
