/** Pieces in which a model goes wrong, or that are too large for it, are asked for in halves. The provider is a stand-in for Workers AI. */
import { env, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import type { SpeechSpan } from "../../../../protocol/speech.ts";
import { usageOfDays } from "../../../../src/ai/usage/count-calls.ts";
import { AssetComponents } from "../../../../src/library/asset-machine/core/components.ts";
import type { PendingTrack } from "../../../../src/library/asset-machine/core/track-store.ts";
import { askProvider } from "../../../../src/library/asset-machine/tracks/ask-provider.ts";
import { speechRenditionOf } from "../../../../src/library/tracks/store/repository.ts";
import { readFlac } from "../../../../src/media/flac/read-flac.ts";
import { openDatabase } from "../../../../src/platform/database.ts";
import { renditionKey } from "../../../../src/platform/storage/keys.ts";
import { constantFlac, FRAME_MS } from "../../../support/flac-writer.ts";

/** What a call has sent: the frames of the piece from the first one on, and how many. */
interface Sent {
  first: number;
  frames: number;
  prompt: unknown;
}

type Inputs = Record<string, unknown>;
type Answer = (sent: Sent) => object;

const LOOP = { text: "thank you ".repeat(30), transcription_info: { language: "en" } };
/** One word in each second frame, which is the number of the frame. */
const wordsOf = ({ first, frames }: Sent) => {
  const words = Array.from({ length: Math.floor(frames / 2) }, (_, n) => ({
    word: `w${first + 2 * n}`,
    start: (2 * n * FRAME_MS) / 1000,
    end: ((2 * n + 1) * FRAME_MS) / 1000,
  }));
  return { text: words.map(({ word }) => word).join(" "), words, transcription_info: { language: "en" } };
};

function sentIn(inputs: Inputs): Sent {
  const bytes = Uint8Array.from(atob(inputs["audio"] as string), (letter) => letter.charCodeAt(0));
  const { frames } = readFlac(bytes)!;
  const { offset, headerLength } = frames[0]!;
  const first = new DataView(bytes.buffer).getInt16(offset + headerLength + 1);
  return { first, frames: frames.length, prompt: inputs["initial_prompt"] };
}

const FRAMES = 236; // a minute
const PIECE_MS = FRAMES * FRAME_MS;
/** Two sounds; the second one begins in frame 100. */
const SPANS: SpeechSpan[] = [
  [0, 1000, 100 * FRAME_MS],
  [100 * FRAME_MS, 50_000, PIECE_MS - 100 * FRAME_MS],
];

/** One track of one piece, in a machine of its own. */
async function withTrack(
  vars: { AI_MONTHLY_BUDGET_USD?: string },
  work: (of: {
    /** Asks until the track takes another step, as its timer does. @param most calls of the timer */
    ask: (answer: Answer, most?: number) => Promise<Sent[]>;
    stored: () => { words: string[][]; paidMs: number[]; costMicroUsd: number[] };
    failed: () => string | undefined;
    calls: () => Promise<{ calls: number; units: number }[]>;
  }) => Promise<void>,
): Promise<void> {
  const [assetId, id, workspaceId] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
  await env.MEDIA.put(renditionKey(assetId, speechRenditionOf(id), "0.flac"), constantFlac(FRAMES));
  const track: PendingTrack = {
    id,
    assetId,
    kind: "subtitle",
    url: null,
    languageCode: "en",
    imposed: null,
    followsEdit: false,
    generated: { sound: "a1", languageCode: "en", prompt: "Sluice" },
    step: "hearing",
    dueMs: 0,
    starts: 0,
    sourceFailures: 0,
    copy: null,
    plan: null,
    publicUrl: "",
    workspaceId,
    pieces: [{ spans: SPANS, durationMs: PIECE_MS, bytes: 1000 }],
  };
  await runInDurableObject(env.ASSET_MACHINE.get(env.ASSET_MACHINE.newUniqueId()), async (_, state) => {
    let nowMs = Date.now();
    const asked: Sent[] = [];
    let answerOf: Answer = wordsOf;
    const AI = {
      run: (_model: string, inputs: Inputs) => {
        asked.push(sentIn(inputs));
        return Promise.resolve(answerOf(asked.at(-1)!));
      },
    };
    // Made anew for each step, as after a crash.
    const machine = () => new AssetComponents(state, { ...env, ...vars, AI }, () => nowMs);
    machine().tracks.put(track);
    machine().heard.open(id, 1, "source");
    try {
      await work({
        ask: async (answer, most = 20) => {
          answerOf = answer;
          asked.splice(0);
          for (let step = 0; step < most && machine().tracks.get(id)?.step === "hearing"; step += 1) {
            await askProvider(machine(), machine().tracks.get(id)!);
            nowMs += 60_000;
          }
          return [...asked];
        },
        stored: () => {
          const parts = [...machine().heard.heard(id)].flatMap((piece) => piece.parts);
          return {
            words: parts.map(({ words }) => words.map(([startMs, , text]) => `${text} ${startMs / FRAME_MS}`)),
            paidMs: parts.map(({ paidMs }) => paidMs),
            costMicroUsd: parts.map(({ costMicroUsd }) => costMicroUsd),
          };
        },
        failed: () => {
          const sql = "SELECT payload FROM outbox";
          const rows = state.storage.sql.exec<{ payload: string }>(sql).toArray();
          return rows.map(({ payload }) => /ai_[a-z_]+/.exec(payload)?.[0]).find((code) => code !== undefined);
        },
        calls: async () => {
          const days = { from: "2000-01-01", to: "2999-01-01" };
          return (await usageOfDays(openDatabase(env.DB), workspaceId, days)).map(({ calls, units }) => ({
            calls,
            units,
          }));
        },
      });
    } finally {
      await state.storage.deleteAlarm();
    }
  });
}

const isWhole = ({ frames }: Sent) => frames === FRAMES;
const spelled = (count: number) => Array.from({ length: count }, (_, n) => `w${2 * n} ${2 * n}`);

test("a piece in which the model repeats itself is asked for in two halves, cut in a pause, without the vocabulary", () =>
  withTrack({}, async ({ ask, stored, calls }) => {
    const asked = await ask((sent) => (isWhole(sent) ? LOOP : wordsOf(sent)));
    expect(asked).toEqual([
      { first: 0, frames: 236, prompt: "Sluice" },
      { first: 0, frames: 100, prompt: undefined },
      { first: 100, frames: 136, prompt: undefined },
    ]);
    const { words, paidMs, costMicroUsd } = stored();
    expect(words.flat()).toEqual(spelled(118)); // each where it is said in the piece
    const sums = (list: number[]) => list.reduce((sum, value) => sum + value, 0);
    expect(sums(paidMs)).toBe(2 * PIECE_MS); // the call that was of no use, and both halves
    expect(sums(costMicroUsd)).toBeGreaterThanOrEqual(Math.floor((2 * PIECE_MS * 510) / 60_000));
    expect(await calls()).toEqual([{ calls: 3, units: (2 * PIECE_MS) / 1000 }]);
  }));

test("halves in which it repeats itself again are kept", () =>
  withTrack({}, async ({ ask, stored }) => {
    expect(await ask(() => LOOP)).toHaveLength(3);
    expect(stored().words).toHaveLength(2);
  }));

test("an answer that is none is asked for in halves, and a half of which ends the track", () =>
  withTrack({}, async ({ ask, failed, calls }) => {
    const asked = await ask((sent) => (sent.first === 0 ? { choices: [] } : wordsOf(sent)));
    expect(asked).toHaveLength(3);
    expect(failed()).toBe("ai_answer_unusable");
    expect(await calls()).toMatchObject([{ calls: 3 }]);
  }));

const refuseAbove = (most: number) => (sent: Sent) => {
  if (sent.frames > most) throw new Error("3006: Request is too large");
  return wordsOf(sent);
};

test("a piece that is too large for the provider is asked for in halves of halves, and what it refuses is not paid", () =>
  withTrack({}, async ({ ask, stored, calls }) => {
    const asked = await ask(refuseAbove(70));
    expect(asked.filter(({ frames }) => frames > 70).map(({ frames }) => frames)).toEqual([236, 100, 136]);
    expect(asked.every(({ prompt }) => prompt === "Sluice")).toBe(true); // nothing was wrong
    expect(stored().words.flat()).toEqual(spelled(118));
    expect(await calls()).toEqual([{ calls: 4, units: expect.closeTo(PIECE_MS / 1000) }]);
  }));

test("nothing shorter than ten seconds is asked for", () =>
  withTrack({}, async ({ ask, failed, calls }) => {
    const asked = await ask(refuseAbove(0));
    expect(Math.min(...asked.map(({ frames }) => frames * FRAME_MS))).toBeGreaterThanOrEqual(10_000);
    expect(failed()).toBe("ai_piece_too_large");
    expect(await calls()).toMatchObject([{ calls: 0, units: 0 }]);
  }));

test("after a crash only the half is asked for that was not heard", () =>
  withTrack({}, async ({ ask, stored, calls }) => {
    await ask((sent) => (isWhole(sent) ? LOOP : wordsOf(sent)), 1);
    const ends = {
      get transcription_info(): never {
        throw new Error("the process ends"); // the provider has worked
      },
    };
    await expect(ask((sent) => (sent.first === 100 ? ends : wordsOf(sent)), 1)).rejects.toThrow("the process ends");
    await expect.poll(() => stored().words.length).toBe(1);
    const asked = await ask(wordsOf);
    expect(asked.map(({ first }) => first)).toEqual([100]);
    expect(stored().words.flat()).toEqual(spelled(118));
    expect(await calls()).toMatchObject([{ calls: 4 }]); // the whole piece, the first half, and twice the other one
  }));

test("halves that the budget does not cover are not begun", () =>
  withTrack({ AI_MONTHLY_BUDGET_USD: "0.0007" }, async ({ ask, failed }) => {
    expect(await ask((sent) => (isWhole(sent) ? LOOP : wordsOf(sent)))).toHaveLength(1);
    expect(failed()).toBe("ai_budget_spent");
  }));
