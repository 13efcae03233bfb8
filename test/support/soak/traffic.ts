/** Owners who change their media, all the time and whatever happens to the Worker. */
import { randomUUID } from "node:crypto";
import type { TestPlatform } from "../platform.ts";
import type { SoakSize } from "./plan.ts";
import type { Random } from "./random.ts";

const FIRST_ASSETS = 4;
const CREATIONS = 0.05;
const DELETIONS = 0.02;
const REPEAT_AFTER_MS = 50;
const ANSWER_LIMIT_MS = 20_000;
/** Nobody listens there: such a media is errored soon, and that is an event too. */
const NO_SOURCE = "http://127.0.0.1:1/none.mp4";

export interface Answer {
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- what the routes answer is not this file's matter
  body: any;
}

/** What was asked for and answered. A request that a kill cut off was repeated until there was an answer. */
export interface Traffic {
  created: string[];
  /** Each title is given once; `sent` counts requests. Not acknowledged = the media was gone by then. */
  changes: { title: string; sent: number; isAcknowledged: boolean }[];
  deleted: string[];
  requests: number;
  /** Requests that got no answer. */
  cutOff: number;
  /** Answers of 500 and above. */
  serverErrors: string[];
}

export class Owners {
  readonly traffic: Traffic = {
    created: [],
    changes: [],
    deleted: [],
    requests: 0,
    cutOff: 0,
    serverErrors: [],
  };
  readonly #platform: TestPlatform;
  readonly #size: SoakSize;
  #assets: string[] = [];
  #isOver = false;

  constructor(platform: TestPlatform, size: SoakSize) {
    this.#platform = platform;
    this.#size = size;
  }

  /** Goes on until `stop`; resolves when what was begun by then is answered. */
  async work(random: Random): Promise<void> {
    for (let count = 0; count < FIRST_ASSETS; count += 1) await this.#create();
    await Promise.all(Array.from({ length: this.#size.owners }, () => this.#own(random.branch())));
  }

  stop(): void {
    this.#isOver = true;
  }

  async #own(random: Random): Promise<void> {
    while (!this.#isOver) {
      const drawn = random.next();
      if (drawn < CREATIONS) await this.#create();
      else if (drawn < CREATIONS + DELETIONS && this.#assets.length > FIRST_ASSETS) await this.#delete(random);
      else await this.#retitle(random.pick(this.#assets));
      await new Promise((done) => setTimeout(done, random.between(this.#size.pauseMs)));
    }
  }

  async #create(): Promise<void> {
    const body = { inputs: [{ type: "video", url: NO_SOURCE }], accessPolicy: "public" };
    const { answer } = await this.#ask("POST", "/v1/on-demand", body, { "idempotency-key": randomUUID() });
    if (answer.status !== 201) throw new Error(`creation answered ${answer.status}`);
    this.traffic.created.push(answer.body.data.id);
    this.#assets.push(answer.body.data.id);
  }

  async #retitle(assetId: string): Promise<void> {
    const change = { title: `title ${this.traffic.changes.length + 1}`, sent: 0, isAcknowledged: false };
    this.traffic.changes.push(change);
    const { answer, sent } = await this.#ask("PATCH", `/v1/on-demand/${assetId}`, { title: change.title });
    if (answer.status !== 200 && answer.status !== 404) throw new Error(`a change answered ${answer.status}`);
    change.sent = sent;
    change.isAcknowledged = answer.status === 200; // 404: another owner has deleted it
  }

  async #delete(random: Random): Promise<void> {
    const assetId = random.pick(this.#assets);
    this.#assets = this.#assets.filter((other) => other !== assetId);
    const { answer } = await this.#ask("DELETE", `/v1/on-demand/${assetId}`);
    if (answer.status !== 200 && answer.status !== 404) throw new Error(`a deletion answered ${answer.status}`);
    this.traffic.deleted.push(assetId);
  }

  /** Until there is an answer; `sent` counts the requests that this took. */
  async #ask(
    method: string,
    path: string,
    body?: unknown,
    more: Record<string, string> = {},
  ): Promise<{ answer: Answer; sent: number }> {
    const headers = { authorization: this.#platform.authorization, "content-type": "application/json", ...more };
    for (let sent = 1; ; sent += 1) {
      this.traffic.requests += 1;
      const answer = await fetch(this.#platform.baseUrl + path, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
      })
        .then(
          async (response): Promise<Answer> => ({ status: response.status, body: await response.json() }),
          () => null,
        )
        .catch(() => null); // cut off within its body
      if (answer !== null && answer.status < 500) return { answer, sent };
      if (answer === null) this.traffic.cutOff += 1;
      else this.traffic.serverErrors.push(`${method} ${answer.status} ${JSON.stringify(answer.body)}`);
      await new Promise((done) => setTimeout(done, REPEAT_AFTER_MS));
    }
  }
}
