/** Latency and throughput of webhook deliveries, compared with a bare consumer of the same queue that POSTs unsigned bodies. */
import { type BenchHost, startBenchHost } from "./support/bench-host.ts";
import { type CountingReceiver, nowMs, startCountingReceiver } from "./support/counting-receiver.ts";
import { type Figure, median } from "./support/figures.ts";

const EVENTS = Number(process.env.BENCH_EVENTS ?? 10_000);
const WEBHOOKS = 10;
const HANGING = 3;
const HANGING_ROUNDS = 4;
const SAMPLES = 200;
const EVENTS_AT_ONCE = 50;
const LIMIT_MS = 10 * 60_000;

const percentile = (values: number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))]!;

export class Bench {
  private places = 0;
  readonly host: BenchHost;
  readonly receiver: CountingReceiver;

  constructor(host: BenchHost, receiver: CountingReceiver) {
    this.host = host;
    this.receiver = receiver;
  }

  async post<T>(path: string, body: unknown = {}): Promise<T> {
    const answer = await fetch(`${this.host.baseUrl}/bare/webhooks${path}`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  newPaths(count: number, prefix = "/at"): string[] {
    return Array.from({ length: count }, () => `${prefix}${(this.places += 1)}`);
  }

  workspace(paths: string[]): Promise<{ workspaceId: string; webhookIds: string[] }> {
    return this.post(
      "/workspace",
      paths.map((path) => this.receiver.origin + path),
    );
  }

  /** Time from the commit of each event to its arrival, in ms, one event at a time. */
  async latencies(path: string, announce: () => Promise<{ committedAtMs: number }>): Promise<number[]> {
    const found: number[] = [];
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      const arrived = this.receiver.reached([path], this.receiver.count(path) + 1, LIMIT_MS);
      const { committedAtMs } = await announce();
      found.push((await arrived) - committedAtMs);
    }
    return found;
  }

  /** Deliveries per second of pending events, counted for `paths` only; other paths may have webhooks too. */
  async productRate(paths: string[], hanging: string[] = [], events = EVENTS): Promise<number> {
    const { workspaceId, webhookIds } = await this.workspace([...paths, ...hanging]);
    for (let sent = 0; sent < events; sent += EVENTS_AT_ONCE)
      await this.post(`/events/${workspaceId}?n=${Math.min(EVENTS_AT_ONCE, events - sent)}`);
    const total = events * paths.length;
    const startedAt = nowMs();
    const arrived = this.receiver.reached(paths, total, LIMIT_MS);
    await this.post("/wake", webhookIds);
    return (total / ((await arrived) - startedAt)) * 1000;
  }

  async yardstickRate(paths: string[]): Promise<number> {
    const urls = paths.map((path) => this.receiver.origin + path);
    const total = EVENTS * paths.length;
    const startedAt = nowMs();
    const arrived = this.receiver.reached(paths, total, LIMIT_MS);
    for (let sent = 0; sent < EVENTS; sent += 100) await this.post("/bare-burst", urls);
    return (total / ((await arrived) - startedAt)) * 1000;
  }
}

export async function run(): Promise<Figure[]> {
  const receiver = await startCountingReceiver();
  const host = await startBenchHost();
  try {
    const bench = new Bench(host, receiver);
    return [...(await latencyFigures(bench)), await rateFigure(bench), await hangingFigure(bench)];
  } finally {
    await host.stop();
    receiver.close();
  }
}

async function latencyFigures(bench: Bench): Promise<Figure[]> {
  const [path, barePath] = bench.newPaths(2) as [string, string];
  const mine = await bench.workspace([path]);
  const bare = await bench.workspace([]);
  const bareUrl = encodeURIComponent(bench.receiver.origin + barePath);
  const rounds: { product: number[]; yardstick: number[] }[] = [];
  for (let round = 0; round < 4; round += 1) {
    const product = await bench.latencies(path, () => bench.post(`/events/${mine.workspaceId}?wake`));
    const yardstick = await bench.latencies(barePath, () =>
      bench.post(`/bare-event/${bare.workspaceId}?url=${bareUrl}`),
    );
    if (round > 0) rounds.push({ product, yardstick }); // the first round warms up
  }
  const figure = (name: string, part: number, limit: number | null): Figure => {
    const product = median(rounds.map((round) => percentile(round.product, part)));
    const yardstick = median(rounds.map((round) => percentile(round.yardstick, part)));
    const ratio = product / yardstick;
    return {
      name: `from the change to the receiver, ${name}`,
      value: `${ratio.toFixed(2)} × (${product.toFixed(1)} ms)`,
      yardstick: `a bare message through the queue: ${yardstick.toFixed(1)} ms`,
      aim: limit === null ? "" : `≤ ${limit} ×`,
      isMet: limit === null ? null : ratio <= limit,
      raw: rounds,
    };
  };
  return [figure("p50", 0.5, 1.3), figure("p95", 0.95, null)];
}

async function rateFigure(bench: Bench): Promise<Figure> {
  const yardstick = await bench.yardstickRate(bench.newPaths(WEBHOOKS));
  console.error(`  bare consumer: ${Math.round(yardstick)} a second`);
  const product = await bench.productRate(bench.newPaths(WEBHOOKS));
  console.error(`  webhooks: ${Math.round(product)} a second`);
  const ratio = product / yardstick;
  return {
    name: `${EVENTS} events to ${WEBHOOKS} webhooks`,
    value: `${ratio.toFixed(2)} × (${Math.round(product)} deliveries a second)`,
    yardstick: `a bare consumer that POSTs unsigned bodies: ${Math.round(yardstick)}`,
    aim: "≥ 0.6 ×",
    isMet: ratio >= 0.6,
    raw: { product, yardstick },
  };
}

async function hangingFigure(bench: Bench): Promise<Figure> {
  const healthy = WEBHOOKS - HANGING;
  const rounds: { alone: number; beside: number }[] = [];
  for (let round = 0; round < HANGING_ROUNDS; round += 1) {
    const events = Math.ceil(EVENTS / HANGING_ROUNDS);
    const alone = () => bench.productRate(bench.newPaths(healthy), [], events);
    const beside = () => bench.productRate(bench.newPaths(healthy), bench.newPaths(HANGING, "/silent"), events);
    // Alternately, to cancel out a machine that slows down or warms up.
    const found =
      round % 2 === 0
        ? { alone: await alone(), beside: await beside() }
        : { beside: await beside(), alone: await alone() };
    console.error(
      `  ${healthy} webhooks: ${Math.round(found.alone)} a second alone, ${Math.round(found.beside)} beside ${HANGING} that hang`,
    );
    rounds.push(found);
  }
  const ratio = median(rounds.map(({ alone, beside }) => beside / alone));
  const [alone, beside] = [median(rounds.map((round) => round.alone)), median(rounds.map((round) => round.beside))];
  return {
    name: `the healthy while ${HANGING} of ${WEBHOOKS} hang`,
    value: `${ratio.toFixed(2)} × (${Math.round(beside)} a second)`,
    yardstick: `the ${healthy} healthy ones alone: ${Math.round(alone)}`,
    aim: "≥ 0.9 ×",
    isMet: ratio >= 0.9,
    raw: rounds,
  };
}
