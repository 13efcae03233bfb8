/**
 * Beacons of ten events each, compared with a bare route of the same Worker that reads and drops the body. Each view has a database of its
 * own, and the answer waits until the disk has it: with `TMPDIR` in memory, the figures are those of the CPU alone.
 */
import { randomUUID } from "node:crypto";
import { type BenchHost, startBenchHost } from "./support/bench-host.ts";
import type { Figure } from "./support/figures.ts";
import { compare, type Load } from "./support/load.ts";

const AIM = 0.4;
const EVENTS = 10;
const FEW_VIEWS = 24;

/** As SDKs send them: the first event has all fields, further ones those that changed. */
function beaconOf(workspaceId: string, viewId: string, firstSequence: number): string {
  const nowMs = Date.now();
  const events = Array.from({ length: EVENTS }, (_, index) => ({
    wsid: workspaceId,
    veid: viewId,
    vesqnu: firstSequence + index,
    evna: NAMES[index % NAMES.length],
    vitp: nowMs - (EVENTS - index) * 1000,
    vewati: (firstSequence + index) * 1000,
    plphti: (firstSequence + index) * 1000,
    ...(firstSequence + index === 1 ? BEGIN : {}),
  }));
  return JSON.stringify({ metadata: { transmission_timestamp: nowMs }, events });
}

const NAMES = [
  "viewBegin",
  "playing",
  "variantChanged",
  "pulse",
  "buffering",
  "buffered",
  "pause",
  "play",
  "playing",
  "pulse",
];
const BEGIN = {
  vdtt: "Harbour at dawn",
  vddu: 372_000,
  plna: "site",
  plwt: 1280,
  plht: 720,
  viid: "viewer-17",
  paloti: 700,
};
const USER_AGENT =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/148.0.0.0 Safari/537.36";

export async function run(): Promise<Figure[]> {
  const host = await startBenchHost();
  const figures: Figure[] = [];
  try {
    for (const [name, body] of Object.entries(bodiesOf(host))) {
      const headers = { "content-type": "text/plain", "user-agent": USER_AGENT };
      const product: Load = { method: "POST", path: `/beacons/${host.workspaceId}`, headers, body, status: 200 };
      const yardstick: Load = { ...product, path: "/bare/beacon" };
      const { ratio, productPerSecond, yardstickPerSecond, rounds } = await compare(host.baseUrl, product, yardstick);
      console.error(`  ${name}: ${ratio.toFixed(2)} ×`);
      figures.push({
        name,
        value: `${ratio.toFixed(2)} × (${Math.round(productPerSecond)} a second)`,
        yardstick: `a bare route that reads and drops the body: ${Math.round(yardstickPerSecond)}`,
        aim: `≥ ${AIM} ×`,
        isMet: ratio >= AIM,
        raw: rounds,
      });
    }
  } finally {
    await host.stop();
  }
  return figures;
}

function bodiesOf({ workspaceId }: BenchHost): Record<string, () => string> {
  const few = Array.from({ length: FEW_VIEWS }, () => ({ viewId: randomUUID(), sequence: 1 }));
  let sent = 0;
  return {
    [`the next ${EVENTS} events of one of ${FEW_VIEWS} views`]: () => {
      const view = few[sent++ % few.length]!;
      const body = beaconOf(workspaceId, view.viewId, view.sequence);
      view.sequence += EVENTS;
      return body;
    },
    [`the first ${EVENTS} events of a view`]: () => beaconOf(workspaceId, randomUUID(), 1),
  };
}
