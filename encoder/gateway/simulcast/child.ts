/**
 * Child process for one connection to one target: the broadcast on stdin, the target over IPC, the connection as descriptor 4. The target
 * cannot delay the broadcast: stdin is always read, and whole groups of pictures are dropped for a slow target.
 */
import { Socket } from "node:net";
import { Log } from "node-av/lib";
import { AV_LOG_QUIET } from "node-av/constants";
import { DialError, secured } from "./dial.ts";
import { FlvTags } from "./flv-tags.ts";
import { Publisher } from "./publisher.ts";
import { remuxToFlv, UnsupportedSource } from "./remux.ts";
import { TagQueue } from "./tag-queue.ts";
import { destinationOf, type SimulcastReason } from "./target.ts";

export interface PushPlan {
  url: string;
  streamKey: string;
  /** Time limit for the connection to accept the broadcast, and for each tag. */
  timeoutMs: number;
  queueBytes: number;
}

export type PushMessage =
  | { type: "active" }
  | { type: "failed"; reason: SimulcastReason; detail: string }
  | { type: "ended"; dropped: number };

const CONNECTION = 4; // descriptor after the pipes and the IPC channel

Log.setLevel(AV_LOG_QUIET);
process.once("message", (plan: PushPlan) => void run(plan));

async function run(plan: PushPlan): Promise<void> {
  const last = await push(plan).then(
    (dropped): PushMessage => ({ type: "ended", dropped }),
    (error: unknown): PushMessage => ({ type: "failed", ...reasonOf(error) }),
  );
  process.send!(last);
}

/** @returns the number of dropped tags */
async function push(plan: PushPlan): Promise<number> {
  const to = destinationOf(plan.url);
  if (to === null) throw new DialError("malformed_url", "The target's URL is not an RTMP URL with an application.");
  const queue = Promise.withResolvers<TagQueue>();
  const tags = new FlvTags();
  let current: TagQueue | undefined;
  const remuxed = remuxToFlv(process.stdin, {
    onStreams: ({ picture }) => queue.resolve((current = new TagQueue(plan.queueBytes, picture))),
    onBytes: (bytes) => {
      for (const tag of tags.push(bytes)) current!.push(tag);
    },
  }).finally(() => current?.end());
  remuxed.catch(queue.reject);

  const pendingTags = await queue.promise; // do not announce what cannot be pushed

  const limit = new TimeLimit(plan.timeoutMs);
  const connection = new Socket({ fd: CONNECTION });
  const publisher = new Publisher(await secured(connection, to, limit.signal));
  await limit.race(publisher.publish(to, plan.streamKey));
  process.send!({ type: "active" } satisfies PushMessage);

  let loss: DialError | null = null;
  void publisher.over.then((error) => {
    loss = error;
    pendingTags.end();
  });
  for (let tag = await pendingTags.next(); tag !== null; tag = await pendingTags.next()) {
    await limit.race(publisher.send(tag));
    if (loss !== null) throw loss;
  }
  if (loss !== null) throw loss;
  await limit.race(publisher.close());
  await remuxed;
  return pendingTags.dropped;
}

/** Rejects work that exceeds the time limit. */
class TimeLimit {
  readonly #ms: number;
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout;

  constructor(ms: number) {
    this.#ms = ms;
    this.#timer = setTimeout(() => this.#controller.abort(), ms);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  async race<T>(work: Promise<T>): Promise<T> {
    clearTimeout(this.#timer);
    const late = Promise.withResolvers<never>();
    this.#timer = setTimeout(() => late.reject(new DialError("timeout", "The target does not read.")), this.#ms);
    try {
      return await Promise.race([work, late.promise]);
    } finally {
      clearTimeout(this.#timer);
    }
  }
}

function reasonOf(error: unknown): { reason: SimulcastReason; detail: string } {
  if (error instanceof DialError) return { reason: error.reason, detail: error.message };
  if (error instanceof UnsupportedSource) return { reason: "unsupported", detail: error.message };
  return { reason: "crashed", detail: error instanceof Error ? error.name : "" };
}
