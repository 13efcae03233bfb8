/**
 * The live encoder's delay: from the last input byte of a part's last picture to the output of the part, and from the first byte to the first
 * part. 720p at 30 frames per second, fed in real time.
 */
import { PICTURE_TIMESCALE } from "../encoder/live/live-grid.ts";
import { SESSION_START } from "../encoder/live/run-state.ts";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { Log } from "node-av/lib";
import { AV_LOG_QUIET } from "node-av/constants";
import { encodeBroadcast } from "../encoder/live/broadcast.ts";
import { tagsOf } from "../test/support/flv.ts";
import { type Figure, milliseconds, quantile } from "./support/figures.ts";
import { hdBroadcast } from "./support/sources.ts";

const SECONDS = 12;
const FRAME_RATE = 30;

interface Measured {
  firstPartMs: number;
  /** By rendition. */
  partMs: Map<string, number[]>;
}

async function measure(flv: Buffer, encodesTopRung: boolean): Promise<Measured> {
  const beganMs = performance.now();
  const picturesMs: number[] = [];
  async function* atItsPace() {
    for (const { bytes, atMs, isPicture } of tagsOf(flv)) {
      await sleep(Math.max(0, beganMs + atMs - performance.now()));
      if (isPicture) picturesMs.push(performance.now());
      yield bytes;
    }
  }
  const measured: Measured = { firstPartMs: 0, partMs: new Map() };
  await encodeBroadcast(
    atItsPace(),
    {
      settings: { maxResolution: "1080p", partTargetMs: 500, segmentMs: 2000 },
      encodesTopRung,
      start: SESSION_START,
    },
    {
      onStarted() {},
      onOpening: () => Promise.reject(new Error("the source jumps")),
      onInit() {},
      onRungDropped() {},
      onThumbnail() {},
      onThumbnailFailed() {},
      onPulse() {},
      onWarnings() {},
      onPart({ rendition, decodeTicks, durationTicks, msn }) {
        measured.firstPartMs ||= performance.now() - beganMs;
        if (!rendition.startsWith("v") || msn < 1) return; // the first segment contains the backlog from the source's analysis
        const last = Math.round(((decodeTicks + durationTicks) * FRAME_RATE) / PICTURE_TIMESCALE) - 1;
        const all = measured.partMs.get(rendition) ?? [];
        measured.partMs.set(rendition, all);
        if (last < picturesMs.length) all.push(performance.now() - picturesMs[last]!);
      },
    },
  );
  return measured;
}

export async function run(): Promise<Figure[]> {
  Log.setLevel(AV_LOG_QUIET);
  const flv = await readFile(hdBroadcast(SECONDS));
  const figures: Figure[] = [];
  for (const encodesTopRung of [true, false]) {
    const { firstPartMs, partMs } = await measure(flv, encodesTopRung);
    const how = encodesTopRung ? "every rung encoded" : "the source as the top rung";
    for (const [rendition, all] of partMs)
      figures.push({
        name: `last picture to part, ${rendition}, ${how}`,
        value: milliseconds(quantile(all, 0.5)),
        yardstick: `p95 ${milliseconds(quantile(all, 0.95))}`,
        aim: "",
        isMet: null,
        raw: all,
      });
    figures.push({
      name: `first byte to first part, ${how}`,
      value: milliseconds(firstPartMs),
      yardstick: "",
      aim: "≤ 2 s",
      isMet: firstPartMs <= 2000,
      raw: firstPartMs,
    });
  }
  return figures;
}
