/** The soak of test/crash/full/beacons-soak.test.ts at full size: more players, views and kills. */
import { FULL, soakBeacons } from "../test/support/beacon-soak/soak.ts";
import { GUARANTEES, judge } from "../test/support/beacon-soak/verdict.ts";
import { type Figure, guaranteeFigures, median, milliseconds } from "./support/figures.ts";

export async function run(): Promise<Figure[]> {
  const seed = Number(process.env["SOAK_SEED"]) || Date.now() % 1_000_000;
  const result = await soakBeacons({ ...FULL, seed });
  const held = guaranteeFigures(GUARANTEES, judge(result));
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
