/** Owners that change their media continuously, also while the Worker is down. */
import { randomUUID } from "node:crypto";
import type { TestPlatform } from "../platform.ts";
import type { SoakSize } from "./plan.ts";
import type { Random } from "./random.ts";

const FIRST_ASSETS = 4;
const CREATIONS = 0.05;
const DELETIONS = 0.02;
const REPEAT_AFTER_MS = 50;
const POLL_MS = 50;
const ANSWER_LIMIT_MS = 20_000;
/** No server listens there: such a media soon becomes errored, which is an event too. */
const NO_SOURCE = "http://127.0.0.1:1/none.mp4";

export interface Answer {
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- what the routes answer is not this file's matter
  body: any;
}

/** Each title is unique. */
export interface Change {
  title: string;
  sent: number; // requests
  /** Status of the last request; null = interrupted by a kill, with an unknown outcome. 404: another owner had deleted the media. */
  status: number | null;
}

/** Requests and their answers. A request that a kill interrupted was repeated until it was answered, except in a burst. */
export interface Traffic {
  created: string[];
  changes: Change[];
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
  #isAbandoned = false;

  constructor(platform: TestPlatform, size: SoakSize) {
    this.#platform = platform;
    this.#size = size;
  }

  /** Runs until `stop`; resolves when all requests are answered and no media will produce further events by itself. */
  async work(random: Random): Promise<void> {
    for (let count = 0; count < FIRST_ASSETS; count += 1) await this.#create();
    await Promise.all(Array.from({ length: this.#size.owners }, () => this.#own(random.branch())));
    await this.#removeUnfinished();
  }

  /** Sends changes concurrently, one request each. Resolves when each is answered or interrupted. */
  async burst(count: number): Promise<void> {
    const changes = Array.from({ length: count }, () => this.#newChange());
    await Promise.all(
      changes.map(async (change, index) => {
        change.sent = 1;
        const path = `/v1/on-demand/${this.#assets[index % this.#assets.length]}`;
        const answer = await this.#askOnce("PATCH", path, { title: change.title });
        if (answer !== null && answer.status < 500) change.status = answer.status;
      }),
    );
  }

  /** Resolves when this many changes have been answered. */
  async untilChanges(count: number): Promise<void> {
    while (!this.#isOver && this.traffic.changes.filter(({ status }) => status !== null).length < count)
      await new Promise((done) => setTimeout(done, POLL_MS));
  }

  stop(): void {
    this.#isOver = true;
  }

  /** Stops waiting for answers. */
  abandon(): void {
    this.#isOver = true;
    this.#isAbandoned = true;
  }

  async #own(random: Random): Promise<void> {
    while (!this.#isOver) {
      const drawn = random.next();
      if (drawn < CREATIONS) await this.#create();
      else if (drawn < CREATIONS + DELETIONS && this.#assets.length > FIRST_ASSETS)
        await this.#delete(random.pick(this.#assets));
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
    const change = this.#newChange();
    const { answer, sent } = await this.#ask("PATCH", `/v1/on-demand/${assetId}`, { title: change.title });
    if (answer.status !== 200 && answer.status !== 404) throw new Error(`a change answered ${answer.status}`);
    Object.assign(change, { sent, status: answer.status });
  }

  #newChange(): Change {
    const change: Change = { title: `title ${this.traffic.changes.length + 1}`, sent: 0, status: null };
    this.traffic.changes.push(change);
    return change;
  }

  async #removeUnfinished(): Promise<void> {
    for (const assetId of this.#assets) {
      const { answer } = await this.#ask("GET", `/v1/on-demand/${assetId}`);
      if (answer.body.data.status !== "Failed") await this.#delete(assetId);
    }
  }

  async #delete(assetId: string): Promise<void> {
    this.#assets = this.#assets.filter((other) => other !== assetId);
    const { answer } = await this.#ask("DELETE", `/v1/on-demand/${assetId}`);
    if (answer.status !== 200 && answer.status !== 404) throw new Error(`a deletion answered ${answer.status}`);
    this.traffic.deleted.push(assetId);
  }

  /** Repeats a request until it is answered; `sent` counts the attempts. */
  async #ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ answer: Answer; sent: number }> {
    for (let sent = 1; ; sent += 1) {
      const answer = await this.#askOnce(method, path, body, headers);
      if (answer !== null && answer.status < 500) return { answer, sent };
      if (this.#isAbandoned) throw new Error("the soak is over and this was never answered");
      await new Promise((done) => setTimeout(done, REPEAT_AFTER_MS));
    }
  }

  /** Null without a complete answer. */
  async #askOnce(
    method: string,
    path: string,
    body?: unknown,
    more: Record<string, string> = {},
  ): Promise<Answer | null> {
    this.traffic.requests += 1;
    const headers = { authorization: this.#platform.authorization, "content-type": "application/json", ...more };
    try {
      const response = await fetch(this.#platform.baseUrl + path, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
      });
      const answer: Answer = { status: response.status, body: await response.json() };
      if (answer.status >= 500)
        this.traffic.serverErrors.push(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      return answer;
    } catch {
      this.traffic.cutOff += 1;
      return null;
    }
  }
}
