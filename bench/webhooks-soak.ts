/** The soak of test/crash/full/webhooks-soak.test.ts at full size: more webhooks, owners and time between the ten kills. */
import { FULL } from "../test/support/soak/plan.ts";
import { soak } from "../test/support/soak/soak.ts";
import { figuresOf } from "../test/support/soak/soak-figures.ts";
import { GUARANTEES, judge } from "../test/support/soak/verdict.ts";
import { type Figure, guaranteeFigures, median, milliseconds } from "./support/figures.ts";

export async function run(): Promise<Figure[]> {
  const seed = Number(process.env.SOAK_SEED) || Date.now() % 1_000_000;
  const result = await soak({ ...FULL, seed });
  const counts = figuresOf(result);
  const { delivered, ...failures } = counts.attempts;
  const held = guaranteeFigures(GUARANTEES, judge(result));
  const reported = (name: string, value: string, yardstick: string, raw: unknown): Figure => ({
    name,
    value,
    yardstick,
    aim: "",
    isMet: null,
    raw,
  });
  const tried = Object.entries({ ...failures, timed_out: counts.timedOut, gone: counts.gone }).map(
    ([name, count]) => `${count} ${name}`,
  );
  return [
    ...held,
    reported(
      `events in ${milliseconds(counts.disturbedMs)}, to ${FULL.webhooks} webhooks (seed ${seed})`,
      `${counts.events} events, ${counts.deliveries} deliveries`,
      `${counts.cutOff} of ${counts.requests} requests of owners were cut off or refused`,
      counts,
    ),
    reported("attempts", `${delivered} delivered`, tried.join(", "), counts.attempts),
    reported(
      "from a kill until the Worker answers, median",
      milliseconds(median(result.downMs)),
      `${result.downMs.length} kills`,
      result.downMs,
    ),
    reported(
      "from the receivers' recovery until nothing is pending",
      milliseconds(result.settledMs[0] ?? Number.NaN),
      `after a kill without traffic: ${result.settledMs.slice(1).map(milliseconds).join(", ")}`,
      result.settledMs,
    ),
  ];
}
