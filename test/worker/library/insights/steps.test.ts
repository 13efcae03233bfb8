/** Steps of results of AI, in a machine whose clock and provider are the test's. */
import { env, runInDurableObject } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { AssetComponents } from "../../../../src/library/asset-machine/core/components.ts";
import { makeInsights } from "../../../../src/library/asset-machine/insights/make-insights.ts";
import { dropInsight, takeInsight } from "../../../../src/library/asset-machine/insights/take-insight.ts";
import { assets } from "../../../../src/library/assets/tables.ts";
import type { InsightForMachine } from "../../../../src/library/assets/asset-calls.ts";
import {
  type InsightRequest,
  insertInsights,
  insightsOf,
  newInsight,
} from "../../../../src/library/insights/store/repository.ts";
import { insights } from "../../../../src/library/insights/store/tables.ts";
import { addCaptionTrack } from "../../../../src/library/tracks/add-caption-track.ts";
import { commit, openDatabase } from "../../../../src/platform/database.ts";
import { talkOf } from "../../../support/talks.ts";
import { newAsset } from "../../playback/playable.ts";

beforeAll(() => import("compromise")); // the pool does not load modules within an object

const db = openDatabase(env.DB);
const TALK = talkOf(["bees", "bridges", "bread"]);

interface Steps {
  machine: AssetComponents;
  /** Runs the timer, and lets time pass until it is due again. */
  step: () => Promise<void>;
  take: (request: InsightRequest) => Promise<InsightForMachine>;
  statuses: () => Promise<Record<string, string>>;
  setMedia: (status: "processing" | "ready") => Promise<unknown>;
}

/** Works in the machine of a ready media with the captions of a talk. */
async function inMachine(
  media: Parameters<typeof newAsset>[0],
  work: (steps: Steps) => Promise<void>,
  { vars = {}, sentences = TALK.sentences }: { vars?: object; sentences?: typeof TALK.sentences } = {},
) {
  const workspaceId = crypto.randomUUID();
  const ready = { workspaceId, status: "ready", stage: "done", durationMs: TALK.durationMs } as const;
  const { assetId } = await newAsset({ ...ready, ...media });
  const cues = sentences.map((cue) => ({ ...cue, settings: "" }));
  const labels = { languageCode: "en", languageName: "Talk" };
  await addCaptionTrack(env, { assetId, trackId: crypto.randomUUID() }, labels, { cues, skipped: 0 }, new Date());
  const stub = env.ASSET_MACHINE.get(env.ASSET_MACHINE.newUniqueId());
  await runInDurableObject(stub, async (_, state) => {
    let nowMs = Date.now();
    const machine = new AssetComponents(state, { ...env, ...vars }, () => nowMs);
    const take = async (request: InsightRequest) => {
      const row = newInsight(request, { assetId, workspaceId }, new Date());
      await commit(env.DB, insertInsights(db, [row]));
      const insight = { assetId, kind: row.kind, workspaceId, requestId: row.requestId, order: row.order };
      takeInsight(machine, insight);
      return insight;
    };
    const step = async () => {
      await makeInsights(machine);
      nowMs = Math.max(nowMs, machine.timers.dueOf("insights") ?? nowMs);
    };
    const statuses = async () =>
      Object.fromEntries(
        (await insightsOf(db, [assetId])).map(({ kind, status, errorCode }) => [kind, errorCode ?? status]),
      );
    const setMedia = (status: "processing" | "ready") =>
      db.update(assets).set({ status }).where(eq(assets.id, assetId));
    try {
      await work({ machine, step, take, statuses, setMedia });
    } finally {
      machine.insights.clear();
      await state.storage.deleteAlarm();
    }
  });
}

describe("a step that always throws", () => {
  /** Not what an order of moderation has. */
  const BROKEN: InsightRequest = { kind: "moderation", order: {} };

  test("stops no other result of the media, and fails its own after 15 times", async () => {
    await inMachine({}, async ({ machine, step, take, statuses }) => {
      await take(BROKEN);
      await take({ kind: "chapters", order: {} });
      const startedMs = machine.clock();
      await step();
      expect(await statuses()).toEqual({ moderation: "preparing", chapters: "available" });
      for (let n = 2; n < 15; n += 1) await step();
      expect(await statuses()).toMatchObject({ moderation: "preparing" });
      expect(machine.clock() - startedMs).toBeGreaterThan(5 * 60_000);
      await take({ kind: "summary", order: { summaryWords: 60 } });
      await step();
      expect(await statuses()).toEqual({ moderation: "internal", chapters: "available", summary: "available" });
      expect(machine.insights.all()).toEqual([]);
    });
  });

  test("counts only failures in a row", async () => {
    await inMachine({}, async ({ step, take, statuses, setMedia }) => {
      await take(BROKEN);
      for (const _ of [1, 2]) {
        for (let n = 0; n < 14; n += 1) await step();
        await setMedia("processing"); // the next step only waits
        await step();
        await setMedia("ready");
      }
      expect(await statuses()).toEqual({ moderation: "preparing" });
    });
  });
});

/** Asks for the same once more. */
function retake(machine: AssetComponents, insight: InsightForMachine): InsightForMachine {
  const again = { ...insight, requestId: crypto.randomUUID() };
  takeInsight(machine, again);
  return again;
}

describe("a request that is not wanted any more", () => {
  test("is dropped, and not the one that has taken its place", async () => {
    await inMachine({}, async ({ machine, take }) => {
      const requests = () => machine.insights.all().map(({ requestId }) => requestId);
      const first = await take({ kind: "chapters", order: {} });
      const second = retake(machine, first);
      dropInsight(machine, "chapters", first.requestId); // late
      expect(requests()).toEqual([second.requestId]);
      dropInsight(machine, "chapters", second.requestId);
      expect(requests()).toEqual([]);
      retake(machine, first);
      dropInsight(machine, "chapters"); // of an older release
      expect(requests()).toEqual([]);
    });
  });
});

describe("chapters that a clip takes over", () => {
  const MADE = {
    status: "available" as const,
    result: { chapters: [{ startMs: 0, endMs: 60_000, title: "Bees", summary: "" }] },
    madeBy: { engine: "built-in", model: "", trackId: "", costUsd: 0, tookMs: 1 },
  };

  test.each([
    ["are those of its media, once these are made", MADE, "source"],
    ["are its own where those of its media fail", { status: "failed" as const }, "built-in"],
  ])("%s", async (_, end, engine) => {
    const { assetId: sourceAssetId } = await newAsset({ status: "ready" });
    const source = newInsight(
      { kind: "chapters", order: {} },
      { assetId: sourceAssetId, workspaceId: "w" },
      new Date(),
    );
    await db.insert(insights).values(source);
    await inMachine({ sourceAssetId, clipStartMs: 20_000 }, async ({ step, take, statuses }) => {
      const { assetId } = await take({ kind: "chapters", order: { takesOver: true } });
      await step();
      expect(await statuses()).toEqual({ chapters: "preparing" });
      await db.update(insights).set(end).where(eq(insights.requestId, source.requestId));
      await step();
      const [row] = await insightsOf(db, [assetId]);
      expect([row?.status, row?.madeBy?.engine]).toEqual(["available", engine]);
    });
  });
});

describe("a text of several parts", () => {
  const LONG = Array.from({ length: 2400 }, (_, n) => ({
    text: `Sentence ${n} says that bees live in a hive and make honey.`,
    startMs: n * 1000,
    endMs: n * 1000 + 900,
  }));
  /** A provider whose answers are summaries. The text has four parts, and a question about one costs nearly 0.01 dollars at most. */
  function newProvider(
    budgetUsd: string,
    answer: () => object = () => ({ response: { summary: "Bees make honey in a hive." } }),
  ) {
    const asked: object[] = [];
    const run = (_: string, inputs: object) => {
      asked.push(inputs);
      return Promise.resolve(answer());
    };
    const prices = { AI_TEXT_INPUT_USD_PER_MILLION: "0.5", AI_TEXT_OUTPUT_USD_PER_MILLION: "0.5" };
    const vars = { AI: { run }, AI_BASE_URL: "", AI_TEXT_MODEL: "m", AI_MONTHLY_BUDGET_USD: budgetUsd, ...prices };
    return { asked, vars };
  }
  const SUMMARY: InsightRequest = { kind: "summary", order: { summaryWords: 60 } };

  test("is asked about as far as the budget covers all of it", async () => {
    const rich = newProvider("1");
    await inMachine(
      {},
      async ({ step, take, statuses }) => {
        await take(SUMMARY);
        await step();
        expect(await statuses()).toEqual({ summary: "available" });
      },
      { vars: rich.vars, sentences: LONG },
    );
    expect(rich.asked.length).toBe(5);
    const poor = newProvider("0.02");
    await inMachine(
      {},
      async ({ step, take, statuses }) => {
        await take(SUMMARY);
        await step();
        expect(await statuses()).toEqual({ summary: "ai_budget_spent" });
      },
      { vars: poor.vars, sentences: LONG },
    );
    expect(poor.asked).toEqual([]);
  });

  test("goes on with the question that had no answer, and fails when it has none again", async () => {
    const good = { response: { summary: "Bees make honey in a hive." } };
    const answers = [good, { response: "none" }, good, good, { response: "none" }, { response: "none" }];
    const { asked, vars } = newProvider("1", () => answers.shift() ?? good);
    await inMachine(
      {},
      async ({ machine, step, take, statuses }) => {
        await take(SUMMARY);
        await step();
        expect([asked.length, machine.insights.answered("summary")]).toEqual([2, new Set([0])]);
        expect(machine.insights.get("summary")?.retries).toEqual({ "summary 1": { tries: 1, unusable: 1 } });
        await step(); // two parts are answered
        expect([asked.length, machine.insights.answered("summary")]).toEqual([5, new Set([0, 1, 2])]);
        expect(machine.insights.get("summary")?.retries).toEqual({ "summary 3": { tries: 1, unusable: 1 } });
        await step();
        expect(await statuses()).toEqual({ summary: "ai_answer_unusable" });
        expect(asked.length).toBe(6);
      },
      { vars, sentences: LONG },
    );
  });
});
