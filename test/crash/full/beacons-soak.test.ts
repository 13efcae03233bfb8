/**
 * Players report views in beacons that are unordered, repeated and mixed while the Worker is killed five times: nothing that was answered is
 * lost, and nothing counts twice. `SOAK_SEED` repeats a run's views and pauses (their exact timing depends on the machine).
 */
import { beforeAll, describe, expect, test } from "vitest";
import { type BeaconSoakResult, SMALL, soakBeacons } from "../../support/beacon-soak/soak.ts";
import { type Guarantee, GUARANTEES, judge } from "../../support/beacon-soak/verdict.ts";

const seed = Number(process.env["SOAK_SEED"]) || Date.now() % 1_000_000;
let result: BeaconSoakResult;
let verdict: ReturnType<typeof judge>;

beforeAll(async () => {
  result = await soakBeacons({ ...SMALL, seed });
  verdict = judge(result);
  const { played, sent, cutOff, downMs } = result;
  console.log(`seed ${seed}: ${JSON.stringify({ views: played.length, sent, cutOff, downMs })}`);
}, 180_000);

describe("after five kills", () => {
  test("the soak had views that completed and failed, and beacons that a kill cut off", () => {
    expect(result.downMs).toHaveLength(SMALL.kills + 1);
    expect(result.played.length).toBeGreaterThanOrEqual(SMALL.views);
    expect(new Set(result.played.map(({ hasFailed }) => hasFailed)).size).toBe(2);
    expect(result.cutOff).toBeGreaterThan(0);
  });

  test.for(Object.entries(GUARANTEES))("%s: %s", ([guarantee]) => {
    expect({ seed, violations: verdict[guarantee as Guarantee] }).toEqual({ seed, violations: [] });
  });
});
