import { text } from "node:stream/consumers";
import { Agent, request } from "node:http";
import { median } from "./figures.ts";

/** One kind of request, sent repeatedly. */
export interface Load {
  method: "GET" | "POST";
  /** A function is called for each request. */
  path: string | (() => string);
  headers?: Record<string, string>;
  body?: string | (() => string);
  /** The expected status; any other ends the measurement. */
  status: number;
}

const CONNECTIONS = 24;

/** Measures product and yardstick alternately, so that both run under the same conditions. The result is the ratio within a round. */
export interface Comparison {
  ratio: number;
  productPerSecond: number;
  yardstickPerSecond: number;
  rounds: { product: number; yardstick: number }[];
}

export async function compare(baseUrl: string, product: Load, yardstick: Load, rounds = 5): Promise<Comparison> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const roundMs = Number(process.env.BENCH_ROUND_MS ?? 2000);
  try {
    await perSecond(agent, baseUrl, product, roundMs / 4); // warm-up
    await perSecond(agent, baseUrl, yardstick, roundMs / 4);
    const measured: Comparison["rounds"] = [];
    for (let round = 0; round < rounds; round += 1) {
      const order = round % 2 === 0 ? (["product", "yardstick"] as const) : (["yardstick", "product"] as const);
      const found = { product: 0, yardstick: 0 };
      for (const which of order)
        found[which] = await perSecond(agent, baseUrl, which === "product" ? product : yardstick, roundMs);
      measured.push(found);
    }
    return {
      ratio: median(measured.map((round) => round.product / round.yardstick)),
      productPerSecond: median(measured.map((round) => round.product)),
      yardstickPerSecond: median(measured.map((round) => round.yardstick)),
      rounds: measured,
    };
  } finally {
    agent.destroy();
  }
}

async function perSecond(agent: Agent, baseUrl: string, load: Load, forMs: number): Promise<number> {
  const startedAt = performance.now();
  let answered = 0;
  const connection = async () => {
    while (performance.now() - startedAt < forMs) {
      await send(agent, baseUrl, load);
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  return (answered / (performance.now() - startedAt)) * 1000;
}

function send(agent: Agent, baseUrl: string, { method, path, headers, body, status }: Load): Promise<void> {
  return new Promise((done, failed) => {
    const content = typeof body === "function" ? body() : body;
    const length = content === undefined ? {} : { "content-length": Buffer.byteLength(content) };
    const to = typeof path === "string" ? path : path();
    const outgoing = request(`${baseUrl}${to}`, { agent, method, headers: { ...headers, ...length } }, (answer) => {
      answer.on("error", failed);
      if (answer.statusCode === status) {
        answer.on("end", done);
        answer.resume();
        return;
      }
      const fail = (content: string) => failed(new Error(`${method} ${to} answered ${answer.statusCode}: ${content}`));
      void text(answer).then(fail, failed);
    });
    outgoing.on("error", failed);
    outgoing.end(content);
  });
}
