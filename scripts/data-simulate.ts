/** `npm run data:simulate`: fills the workspace of the local platform with views. */
import { randomInt } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { integer } from "../sdk/cli/terminal/command-line.ts";
import { CommandError } from "../sdk/cli/terminal/usage-error.ts";
import { runScript } from "./command/script.ts";
import { beaconsOf, sendBeacon } from "./simulate/send.ts";
import { MAX_DAYS, simulateView } from "./simulate/view.ts";

const SIMULATE = {
  name: "data:simulate",
  about: `Fills the workspace of the running platform (npm start, npm run dev, npm run demo) with views, so that there is
something to ask about: countries, devices, good and bad networks, stalls and errors. They are sent as players send
them, as beacons.`,
  options: {
    views: integer("N", [1, 10_000_000], "how many", 1000),
    days: integer("N", [1, MAX_DAYS], `they ended in the last N days, 1 to ${MAX_DAYS}`, MAX_DAYS),
    seed: integer("N", [1, 2 ** 31], "it is printed; a repeat with the same seed adds nothing"),
  },
  notes: `Each view is an object with a database, as a real one: it takes about 40 KB of disk on this machine, and 10 to 40
milliseconds, most of them spent waiting for the disk. 100,000 views take half an hour or more.

SLUICE_HOME (.sluice) is the folder of the platform.`,
};

/** Concurrent beacons. More are not faster, because each view is an object with a separate database. */
const AT_ONCE = 8;
/** Beacons that the platform accepts per minute from one network (docs/architecture/limits.md, beacon-requests). */
const BEACONS_PER_MINUTE = 5500;

const Local = z.object({ baseUrl: z.url(), workspaceId: z.uuid() });

async function readLocal() {
  const file = join(process.env["SLUICE_HOME"] || ".sluice", "local.json");
  const text = await readFile(file, "utf8").catch(() => null);
  if (text === null) throw new CommandError(`There is no ${file}. Start the platform first: npm start, or npm run dev`);
  return Local.parse(JSON.parse(text));
}

await runScript(SIMULATE, async ({ views, days, seed = randomInt(1, 2 ** 31) }) => {
  const { baseUrl, workspaceId } = await readLocal();
  console.log(`${views} views of the last ${days} days to ${baseUrl}, seed ${seed}`);

  const startedAt = performance.now();
  const nowMs = Date.now();
  function* simulated() {
    for (let index = 0; index < views; index += 1) yield simulateView(seed, index, { nowMs, days, views });
  }
  const beacons = beaconsOf(simulated(), workspaceId, nowMs);
  let [sent, sentBeacons, saidAt] = [0, 0, startedAt];
  const rate = () => Math.round((sent / (performance.now() - startedAt)) * 1000);

  async function sendAll(): Promise<void> {
    for (const beacon of beacons) {
      const dueAt = startedAt + (sentBeacons++ / BEACONS_PER_MINUTE) * 60_000 - 10_000;
      if (dueAt > performance.now()) await new Promise((done) => setTimeout(done, dueAt - performance.now()));
      await sendBeacon(baseUrl, workspaceId, beacon);
      sent += beacon.views;
      if (performance.now() - saidAt < 2000) continue;
      saidAt = performance.now();
      console.log(`${sent} views, ${rate()} a second`);
    }
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, sendAll));
  } catch (error) {
    const { message } = error as Error;
    throw new CommandError(`Stopped after ${sent} views: ${message}. Is the platform running?`, { cause: error });
  }
  console.log(`Sent ${sent} views in ${((performance.now() - startedAt) / 1000).toFixed(1)} s, ${rate()} a second.`);
  console.log(`They are in the answers of ${baseUrl}/v1/data/… within a minute (docs/guides/video-data.md).`);
});
