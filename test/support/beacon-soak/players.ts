/** Players that report their views continuously, also while the Worker is down: in any order, repeatedly, and several views in a beacon. */
import { randomUUID } from "node:crypto";
import type { TestPlatform } from "../platform.ts";
import type { Random, Range } from "../soak/random.ts";

const REPEAT_AFTER_MS = 50;
const ANSWER_LIMIT_MS = 10_000;
const EVENTS: Range = [4, 14];
const EVENTS_PER_BATCH: Range = [1, 4];
const VIEWS_AT_ONCE = 3;
const MIXED = 0.3;
const REPEATED = 0.2;
const FAILED = 0.2;

export interface PlayedView {
  viewId: string;
  hasFailed: boolean;
  /** Sequence numbers from 1. */
  events: number;
  /** Those that a beacon had which was answered with 200. */
  answered: Set<number>;
}

/** Some events, in one beacon. */
type Batch = { view: PlayedView; sequence: number }[];

export class Players {
  readonly views: PlayedView[] = [];
  /** Beacons that got no answer, and those that were sent. */
  cutOff = 0;
  sent = 0;
  /** Answers other than 200 and 503. */
  readonly refusals: string[] = [];
  /** Called once, as soon as a beacon is answered with 200. */
  onAnswer: (() => void) | null = null;
  readonly #platform: TestPlatform;
  readonly #pauseMs: Range;
  readonly #sourceUrl: string;
  #isOver = false;
  #isAbandoned = false;

  /** @param sourceUrl the manifest that is played */
  constructor(platform: TestPlatform, sourceUrl: string, pauseMs: Range) {
    this.#platform = platform;
    this.#sourceUrl = sourceUrl;
    this.#pauseMs = pauseMs;
  }

  /** Runs until `stop`; resolves when every beacon is answered. */
  async play(players: number, random: Random): Promise<void> {
    await Promise.all(
      Array.from({ length: players }, (_, index) => this.#play(`198.51.100.${index}`, random.branch())),
    );
  }

  /** No further view begins. */
  stop(): void {
    this.#isOver = true;
  }

  /** Stops waiting for answers. */
  abandon(): void {
    this.#isOver = true;
    this.#isAbandoned = true;
  }

  async #play(address: string, random: Random): Promise<void> {
    while (!this.#isOver) {
      const views = Array.from({ length: Math.ceil(random.between([0, VIEWS_AT_ONCE])) }, () => newView(random));
      this.views.push(...views);
      const batches = mixed(
        shuffled(
          views.flatMap((view) => batchesOf(view, random)),
          random,
        ),
        random,
      );
      while (batches.length > 0) {
        const some = batches.splice(0, random.chance(0.5) ? 2 : 1);
        await Promise.all(some.map((batch) => this.#send(batch, address)));
        if (random.chance(REPEATED)) batches.splice(Math.floor(random.between([0, batches.length])), 0, some[0]!);
        await pause(random.between(this.#pauseMs));
      }
    }
  }

  /** Repeats a beacon until it is answered, as SDKs do. */
  async #send(batch: Batch, address: string): Promise<void> {
    const body = JSON.stringify({
      metadata: { transmission_timestamp: Date.now() },
      events: batch.map(({ view, sequence }) => this.#eventOf(view, sequence)),
    });
    while (!this.#isAbandoned) {
      if (await this.#post(body, address)) {
        for (const { view, sequence } of batch) view.answered.add(sequence);
        return;
      }
      await pause(REPEAT_AFTER_MS);
    }
  }

  async #post(body: string, address: string): Promise<boolean> {
    const { baseUrl, settings } = this.#platform;
    this.sent += 1;
    try {
      const answer = await fetch(`${baseUrl}/beacons/${settings.secrets.workspaceId}`, {
        method: "POST",
        headers: { "content-type": "text/plain", "cf-connecting-ip": address },
        body,
        signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
      });
      if (answer.status === 200) {
        this.onAnswer?.();
        this.onAnswer = null;
      }
      if (answer.status !== 200 && answer.status !== 503) this.refusals.push(`a beacon was answered ${answer.status}`);
      return answer.status === 200;
    } catch {
      this.cutOff += 1;
      return false;
    }
  }

  /** The playhead names the event in the view's record. */
  #eventOf({ viewId, hasFailed, events }: PlayedView, sequence: number): Record<string, unknown> {
    const end = hasFailed ? { evna: "error", plercd: "2", plerms: "soak" } : { evna: "viewCompleted" };
    return {
      veid: viewId,
      vesqnu: sequence,
      vitp: Date.now(),
      plphti: sequence * 1000,
      evna: sequence === 1 ? "viewBegin" : sequence === 2 ? "playing" : "pulse",
      ...(sequence === 1 ? { vdsour: this.#sourceUrl, vdtt: "Soak" } : {}),
      ...(sequence === events ? end : {}),
    };
  }
}

const newView = (random: Random): PlayedView => ({
  viewId: randomUUID(),
  hasFailed: random.chance(FAILED),
  events: Math.floor(random.between(EVENTS)),
  answered: new Set(),
});

function batchesOf(view: PlayedView, random: Random): Batch[] {
  const batches: Batch[] = [];
  for (let sequence = 1; sequence <= view.events;) {
    const length = Math.floor(random.between(EVENTS_PER_BATCH));
    const batch = Array.from({ length }, (_, index) => ({ view, sequence: sequence + index }));
    batches.push(batch.filter((event) => event.sequence <= view.events));
    sequence += length;
  }
  return batches;
}

function shuffled<Item>(items: Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, at: random.next() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item);
}

/** Puts some batches into the beacon of the one before. */
function mixed(batches: Batch[], random: Random): Batch[] {
  const beacons: Batch[] = [];
  for (const batch of batches) {
    if (beacons.length > 0 && random.chance(MIXED)) beacons.at(-1)!.push(...batch);
    else beacons.push([...batch]);
  }
  return beacons;
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));
