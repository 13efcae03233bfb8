/** The soak of test/crash/beacons-soak.test.ts at full size: more players, views and kills. */
import { FULL, soakBeacons } from "../test/support/beacon-soak/soak.ts";
import { type Guarantee, GUARANTEES, judge } from "../test/support/beacon-soak/verdict.ts";
import { type Figure, median, milliseconds } from "./support/figures.ts";

const SHOWN = 5;

export async function run(): Promise<Figure[]> {
  const seed = Number(process.env["SOAK_SEED"]) || Date.now() % 1_000_000;
  const result = await soakBeacons({ ...FULL, seed });
  const verdict = judge(result);
  const held = (Object.keys(GUARANTEES) as Guarantee[]).map((name): Figure => {
    const violations = verdict[name];
    for (const violation of violations.slice(0, SHOWN)) console.error(`  ${name}: ${violation}`);
    return {
      name: GUARANTEES[name],
      value: `${violations.length} violations`,
      yardstick: "",
      aim: "0",
      isMet: violations.length === 0,
      raw: violations,
    };
  });
  const { played, sent, cutOff, downMs } = result;
  const events = played.reduce((sum, view) => sum + view.events, 0);
  return [
    ...held,
    {
      name: `${played.length} views with ${events} events, seed ${seed}`,
      value: `${sent} beacons, ${cutOff} cut off`,
      yardstick: `${downMs.length} kills, down for ${milliseconds(median(downMs))}`,
      aim: "",
      isMet: null,
      raw: { played: played.length, sent, cutOff, downMs },
    },
  ];
}
