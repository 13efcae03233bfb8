/**
 * Receivers fail, hang, drop connections and recover while the Worker is killed ten times: nothing is lost, nothing is sent wrongly, and the
 * delivery log matches the receivers' logs. `SOAK_SEED` repeats a run's faults and pauses (their exact timing depends on the machine).
 */
import { beforeAll, describe, expect, test } from "vitest";
import { SMALL } from "../../support/soak/plan.ts";
import { soak, type SoakResult } from "../../support/soak/soak.ts";
import { figuresOf } from "../../support/soak/soak-figures.ts";
import { type Guarantee, GUARANTEES, judge } from "../../support/soak/verdict.ts";

const seed = Number(process.env.SOAK_SEED) || Date.now() % 1_000_000;
let result: SoakResult;
let verdict: ReturnType<typeof judge>;

beforeAll(async () => {
  result = await soak({ ...SMALL, seed });
  verdict = judge(result);
  console.log(`seed ${seed}: ${JSON.stringify(figuresOf(result))}`);
}, 180_000);

describe("after ten kills", () => {
  test("the soak contained every kind of fault", () => {
    const figures = figuresOf(result);
    expect(result.downMs).toHaveLength(SMALL.kills + SMALL.killsInQuiet);
    expect(figures.events).toBeGreaterThan(100);
    expect(figures.failed).toBeGreaterThan(0); // of the endpoint that is gone
    const never = Object.entries(figures.attempts).filter(([, count]) => count === 0);
    expect(never).toEqual([]);
  });

  test.for(Object.entries(GUARANTEES))("%s: %s", ([guarantee]) => {
    expect({ seed, violations: verdict[guarantee as Guarantee] }).toEqual({ seed, violations: [] });
  });
});
