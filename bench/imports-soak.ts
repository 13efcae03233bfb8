/** The soak of test/crash/full/imports-soak.test.ts at full size: 3,000 videos, with more kills and outages. */
import { soakImports } from "../test/support/imports/soak/soak.ts";
import { GUARANTEES, judgeImports } from "../test/support/imports/soak/verdict.ts";
import { type Figure, guaranteeFigures, milliseconds } from "./support/figures.ts";

const ITEMS = Number(process.env.BENCH_MIGRATED ?? 3000);
const LIMIT_MS = 14_400_000;

export async function run(): Promise<Figure[]> {
  const seed = Number(process.env.SOAK_SEED) || Date.now() % 1_000_000;
  const size = { items: ITEMS, seed, kills: 10, outages: 5, calmMs: [5_000, 60_000] as const, limitMs: LIMIT_MS };
  const result = await soakImports(size);
  const { ready, failed } = result.batch.counts;
  return [
    ...guaranteeFigures(GUARANTEES, judgeImports(result, ITEMS)),
    {
      name: `${ITEMS.toLocaleString("en-US")} videos (seed ${seed})`,
      value: milliseconds(result.tookMs),
      yardstick: `${ready} ready, ${failed} failed with a reason; ${size.kills} kills, ${size.outages} outages`,
      aim: "",
      isMet: null,
      raw: result.batch,
    },
  ];
}
