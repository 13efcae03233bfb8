/** Tries bounds of docs/architecture/limits.md on the code that enforces them. */
import { beforeAll, describe, expect, test } from "vitest";
import type { Limit } from "./page.ts";

export const TAKEN = "taken";

export interface Outcome {
  /** `TAKEN`, or what was answered instead. */
  atBound: string;
  above: string;
}
/** @param bound as the page says it: bytes, milliseconds or a count */
export interface Trial {
  (bound: number): Outcome | Promise<Outcome>;
  /** It waits for a clock that cannot be moved: it begins before the others, beside those of its kind. */
  isWaited?: boolean;
}

type Probe = (amount: number) => string | Promise<string>;

/** The bound itself is taken, one more is not. */
export const upTo =
  (probe: Probe): Trial =>
  async (bound) => ({ atBound: await probe(bound), above: await probe(bound + 1) });

/** The bound is the least: one less is not taken. */
export const atLeast =
  (probe: Probe): Trial =>
  async (bound) => ({ atBound: await probe(bound), above: await probe(bound - 1) });

/** What happens at the bound: one before it nothing does. For deadlines, and for counts that set something off. */
export const until =
  (probe: Probe): Trial =>
  async (bound) => ({ atBound: await probe(bound - 1), above: await probe(bound) });

export const waited = (trial: Trial): Trial => Object.assign(trial, { isWaited: true });

/** The trial of every limit that a project tries, as a test. @throws {Error} when trials and page do not fit */
export function tryLimits(limits: Limit[], trials: Record<string, Trial>): void {
  describe("docs/architecture/limits.md", () => {
    const begun = new Map<string, Promise<Outcome>>();
    beforeAll(() => {
      for (const [id, trial] of Object.entries(trials)) {
        if (trial.isWaited !== true) continue;
        const outcome = Promise.resolve(trial(limitOf(limits, id).bound));
        outcome.catch(() => {}); // its test hears of it
        begun.set(id, outcome);
      }
    });
    for (const [id, trial] of Object.entries(trials).toSorted(
      ([, a], [, b]) => Number(a.isWaited ?? false) - Number(b.isWaited ?? false),
    )) {
      const limit = limitOf(limits, id);
      test(`${id}: ${limit.bound} is taken, and beyond it the answer is ${limit.answer}`, async () => {
        expect(await (begun.get(id) ?? trial(limit.bound))).toEqual({ atBound: TAKEN, above: limit.answer });
      });
    }
  });
}

function limitOf(limits: Limit[], id: string): Limit {
  const limit = limits.find((row) => row.id === id);
  if (limit === undefined) throw new Error(`the page has no row for the trial ${id}`);
  return limit;
}
