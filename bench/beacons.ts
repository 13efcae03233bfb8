/**
 * Beacons of ten events each, compared with a bare route of the same Worker that reads and drops the body. Each view has a database of its
 * own, and the answer waits until the disk has it: with `TMPDIR` in memory, the figures are those of the CPU alone.
 */
import { randomUUID } from "node:crypto";
import { type BenchHost, startBenchHost } from "./support/bench-host.ts";
import { comparedFigure } from "./support/compared-figure.ts";
import type { Figure } from "./support/figures.ts";
import type { Load } from "./support/load.ts";

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
    for (const [name, { body, object }] of Object.entries(casesOf(host))) {
      const headers = { "content-type": "text/plain", "user-agent": USER_AGENT };
      const product: Load = { method: "POST", path: `/beacons/${host.workspaceId}`, headers, body, status: 200 };
      for (const { against, path, aim } of [
        { against: "a bare route that reads and drops the body", path: "/bare/beacon", aim: AIM },
        {
          against: "the same with an object per view that inserts the body",
          path: () => `/bare/beacon/${object()}`,
          aim: null,
        },
      ]) {
        const yardstick = { ...product, path };
        figures.push(await comparedFigure(host.baseUrl, { name, product, yardstick, against, aim }));
      }
    }
  } finally {
    await host.stop();
  }
  return figures;
}

interface Case {
  body: () => string;
  /** Names the object of a bare request. */
  object: () => string;
}

function casesOf({ workspaceId }: BenchHost): Record<string, Case> {
  const few = Array.from({ length: FEW_VIEWS }, () => ({ viewId: randomUUID(), sequence: 1 }));
  let sent = 0;
  const next = () => few[sent++ % few.length]!;
  return {
    [`the next ${EVENTS} events of one of ${FEW_VIEWS} views`]: {
      body() {
        const view = next();
        const body = beaconOf(workspaceId, view.viewId, view.sequence);
        view.sequence += EVENTS;
        return body;
      },
      object: () => next().viewId,
    },
    [`the first ${EVENTS} events of a view`]: {
      body: () => beaconOf(workspaceId, randomUUID(), 1),
      object: randomUUID,
    },
  };
}
