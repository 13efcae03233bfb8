/**
 * A bucket is migrated while the Worker is killed and its source fails, goes away and comes back: each video becomes one media, or fails with a
 * reason. `SOAK_SEED` repeats a run's order and pauses; `npm run bench -- imports-soak` migrates 3,000 videos.
 */
import { beforeAll, expect, test } from "vitest";
import { type ImportSoakResult, soakImports } from "../../support/imports/soak/soak.ts";
import { GUARANTEES, judgeImports } from "../../support/imports/soak/verdict.ts";

const seed = Number(process.env["SOAK_SEED"]) || Date.now() % 1_000_000;
const ITEMS = 300;
const LIMIT_MS = 1_200_000;
let result: ImportSoakResult;
let verdict: ReturnType<typeof judgeImports>;

beforeAll(async () => {
  const size = { items: ITEMS, seed, kills: 4, outages: 2, calmMs: [2_000, 10_000] as const, limitMs: LIMIT_MS };
  result = await soakImports(size);
  verdict = judgeImports(result, ITEMS);
  console.log(`seed ${seed}: ${JSON.stringify({ tookMs: Math.round(result.tookMs), counts: result.batch.counts })}`);
}, LIMIT_MS);

test.for(Object.entries(GUARANTEES))("%s: %s", ([guarantee]) => {
  expect({ seed, violations: verdict[guarantee as keyof typeof GUARANTEES] }).toEqual({ seed, violations: [] });
});

test("the soak contained videos that cannot be used, each with its reason", () => {
  const codes = result.items.flatMap(({ error }) => error?.code ?? []);
  expect(codes.filter((code) => code === "archived")).toHaveLength(ITEMS / 100);
  expect(new Set(codes).size).toBe(3);
});
