/** A webhook receiver that fails in realistic ways, by its plan and a seed, and records every request. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Conduct, ReceiverPlan } from "./plan.ts";
import type { Random, Range } from "./random.ts";

/** A request whose body was received completely. */
export interface SeenRequest {
  atMs: number; // epoch
  headers: Record<string, string>;
  body: Buffer;
  conduct: Conduct;
  /** `answered` = completely, according to its conduct; `cut` = the connection ended before that. */
  ending: "open" | "answered" | "cut";
}

export interface SoakReceiver {
  url: string;
  seen: SeenRequest[];
  /** Times without a listener, epoch ms. */
  downs: { fromMs: number; toMs: number }[];
  /** The maximum number of concurrent requests. */
  mostAtOnce: () => number;
  /** From now on the receiver listens and answers 200 (or still 410). */
  heal(): Promise<void>;
  close(): Promise<void>;
}

const SLOW_MS: Range = [100, 1500];
const RESET_AFTER_MS = 20; // long enough for the head of the answer to be read
const LISTEN_AGAIN_MS = 20;

export async function startSoakReceiver(plan: ReceiverPlan, random: Random): Promise<SoakReceiver> {
  const moods = random.branch(); // independent of the draws for requests
  const seen: SeenRequest[] = [];
  const downs: SoakReceiver["downs"] = [];
  const timers = new Set<NodeJS.Timeout>();
  let isHealthy = false;
  let openNow = 0;
  let mostAtOnce = 0;
  let changing: Promise<void> = Promise.resolve();

  const server = createServer({ keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 }, (request, response) => {
    openNow += 1;
    mostAtOnce = Math.max(mostAtOnce, openNow);
    let isOpen = true;
    const close = () => {
      if (isOpen) openNow -= 1;
      isOpen = false;
    };
    response.on("close", close);
    void readBody(request).then((body) => {
      if (body === null) return;
      const one: SeenRequest = {
        atMs: Date.now(),
        headers: flat(request),
        body,
        conduct: conductNow(),
        ending: "open",
      };
      seen.push(one);
      response.on("close", () => (one.ending = one.ending === "open" ? "cut" : one.ending));
      act(one, response, () => {
        if (!isOpen) return;
        one.ending = "answered";
        close();
      });
    });
  });

  function conductNow(): Conduct {
    if (plan.goneAtRequest !== null && seen.length + 1 >= plan.goneAtRequest) return "gone";
    return isHealthy ? "ok" : random.weighted(plan.conduct);
  }

  /** Calls `end` when it finishes the request. */
  function act({ conduct }: SeenRequest, response: ServerResponse, end: () => void): void {
    const answer = (status: number, headers: Record<string, string> = {}) => {
      end();
      response.writeHead(status, headers).end("received");
    };
    if (conduct === "ok") answer(200);
    if (conduct === "slow") later(random.between(SLOW_MS), () => answer(200));
    if (conduct === "error") answer(500);
    if (conduct === "busy") answer(503, { "retry-after": "1" });
    if (conduct === "gone") answer(410);
    if (conduct === "drop") {
      end();
      response.socket?.destroy();
    }
    if (conduct === "reset") {
      response.writeHead(200, { "content-length": "10" }).write("hello");
      later(RESET_AFTER_MS, () => {
        end();
        response.socket?.resetAndDestroy();
      });
    }
  }

  function later(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      act();
    }, ms);
    timers.add(timer);
  }

  const listen = (port: number) =>
    new Promise<void>((done, failed) => {
      server.once("error", failed);
      server.listen(port, "127.0.0.1", () => {
        server.off("error", failed);
        done();
      });
    });

  await listen(0);
  const { port } = server.address() as AddressInfo;

  async function beDown(ms: number): Promise<void> {
    const down = { fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY };
    downs.push(down);
    server.close();
    server.closeAllConnections();
    await new Promise((done) => setTimeout(done, ms));
    // Another process may have got the port in the meantime.
    while (
      !(await listen(port).then(
        () => true,
        () => false,
      ))
    )
      await new Promise((done) => setTimeout(done, LISTEN_AGAIN_MS));
    down.toMs = Date.now();
  }

  function scheduleDown(): void {
    if (plan.upMs === null) return;
    later(moods.between(plan.upMs), () => {
      if (isHealthy) return;
      changing = beDown(moods.between(plan.downMs)).then(() => {
        if (!isHealthy) scheduleDown();
      });
    });
  }
  scheduleDown();

  return {
    url: `http://127.0.0.1:${port}/hook`,
    seen,
    downs,
    mostAtOnce: () => mostAtOnce,
    async heal() {
      isHealthy = true;
      await changing;
    },
    async close() {
      isHealthy = true;
      await changing;
      for (const timer of timers) clearTimeout(timer);
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Null when the connection ended before the body: such a request has not arrived. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of request) pieces.push(piece as Buffer);
  } catch {
    return null;
  }
  return Buffer.concat(pieces);
}

const flat = ({ headers }: IncomingMessage) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
