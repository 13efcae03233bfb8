/** Checks the bounds of docs/architecture/limits.md against the code that enforces them. */
import { beforeAll, describe, expect, test } from "vitest";
import type { Limit } from "./page.ts";

export const TAKEN = "taken";

export interface Outcome {
  /** `TAKEN`, or the answer instead. */
  atBound: string;
  above: string;
}
/** @param bound from the page: bytes, milliseconds or a count */
export interface Trial {
  (bound: number): Outcome | Promise<Outcome>;
  /** The trial waits in real time. Such trials start before the others, concurrently. */
  isWaited?: boolean;
}

type Probe = (amount: number) => string | Promise<string>;

/** The bound itself is accepted, one more is not. */
export const upTo =
  (probe: Probe): Trial =>
  async (bound) => ({ atBound: await probe(bound), above: await probe(bound + 1) });

/** The bound is a minimum: one less is not accepted. */
export const atLeast =
  (probe: Probe): Trial =>
  async (bound) => ({ atBound: await probe(bound), above: await probe(bound - 1) });

/** An effect starts at the bound, not one before it. For deadlines, and for counts that trigger something. */
export const until =
  (probe: Probe): Trial =>
  async (bound) => ({ atBound: await probe(bound - 1), above: await probe(bound) });

export const waited = (trial: Trial): Trial => Object.assign(trial, { isWaited: true });

/** Defines a test for every limit of a project. @throws {Error} when trials and page do not match */
export function tryLimits(limits: Limit[], trials: Record<string, Trial>): void {
  describe("docs/architecture/limits.md", () => {
    const begun = new Map<string, Promise<Outcome>>();
    beforeAll(() => {
      for (const [id, trial] of Object.entries(trials)) {
        if (trial.isWaited !== true) continue;
        const outcome = Promise.resolve(trial(limitOf(limits, id).bound));
        outcome.catch(() => {}); // its test reports the error
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
