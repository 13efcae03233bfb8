/** Limits of pictures and of files for download. */
import { isMediaLength, isRequestLength, takesTooLong } from "../../../encoder/images/limits.ts";
import { Places } from "../../../encoder/images/places.ts";
import type { PictureRequest } from "../../../protocol/images.ts";
import { HeldMedia } from "../../../src/library/images/held-media.ts";
import { stillOrder } from "../../../src/library/images/orders.ts";
import { readClip, readStill } from "../../../src/media/images/parameters.ts";
import { planAdvancedSheet, planSheet, type SheetPlan } from "../../../src/media/images/sheet-plan.ts";
import { PLAIN_FIT } from "../../../src/media/images/sizes.ts";
import { type Problem, PROBLEMS } from "../../../src/platform/http/problems.ts";
import { downloadName } from "../../../src/playback/attachment.ts";
import { TAKEN, upTo } from "../../support/limits/trials.ts";
import { ladderRung } from "../media/images/rungs.ts";

/** The status of a query. */
function refused(read: (query: URLSearchParams) => unknown, query: Record<string, string>): string {
  try {
    read(new URLSearchParams(query));
    return TAKEN;
  } catch (error) {
    return String(PROBLEMS[(error as Problem).code].status);
  }
}

/** Whether a sheet has its shortest interval. */
const unlessLonger = (plan: SheetPlan | null, seconds: number) =>
  plan?.intervalSeconds === seconds ? TAKEN : "longer";

const answered = (isTaken: boolean, status: string) => (isTaken ? TAKEN : status);

/** The last of this many waiting requests. @param workspaceOf the workspace of each */
async function placed(waiting: number, workspaceOf: (n: number) => string): Promise<string> {
  const places = new Places();
  let isRefused = false;
  for (let n = 0; n < 2 + waiting; n += 1)
    void places.take(workspaceOf(n)).then((hasPlace) => (isRefused ||= !hasPlace));
  await Promise.resolve();
  return answered(!isRefused, "429");
}

/** The rung of a still whose GOP has this many bytes in the larger of two rungs. */
function rungOfStill(gopBytes: number): string {
  const large = ladderRung({ name: "v720", widthPx: 1280, heightPx: 720 });
  large.segments.bytes[0] = 24 + 20_000 + gopBytes;
  const who = { assetId: "a", workspaceId: null, playbackId: null };
  const order = stillOrder(who, [ladderRung(), large], { seconds: 3, fit: PLAIN_FIT, format: "jpg" });
  return answered(order!.name.startsWith("v720."), "smaller rung");
}

/** Orders that hold media until the test ends, on a clock of the test. */
function holdings() {
  let nowMs = 0;
  const timers: { atMs: number; go: () => void }[] = [];
  const media = new HeldMedia({
    now: () => nowMs,
    wait: (ms) => new Promise((go) => void timers.push({ atMs: nowMs + ms, go })),
  });
  const advance = async (ms: number) => {
    const endMs = nowMs + ms;
    for (;;) {
      const next = timers.filter(({ atMs }) => atMs <= endMs).toSorted((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined) break;
      timers.splice(timers.indexOf(next), 1);
      nowMs = next.atMs;
      next.go();
      await settled();
    }
    nowMs = endMs;
  };
  return { media, advance };
}
const settled = () => new Promise((resolve) => void setImmediate(resolve));
const forEver = () => new Promise<never>(() => {});
const FULL = 32 << 20;

async function heldTogether(bytes: number): Promise<string> {
  const { media } = holdings();
  void media.hold(1000, forEver);
  const second = media.hold(bytes - 1000, () => Promise.resolve(TAKEN));
  return await Promise.race([second, settled().then(() => "waits")]);
}

/** The answer to an order that gets room after this time. */
async function heldAfter(ms: number): Promise<string> {
  const { media, advance } = holdings();
  let end = () => {};
  void media.hold(FULL, () => new Promise<void>((resolve) => void (end = resolve)));
  const second = media.hold(1, () => Promise.resolve(TAKEN));
  await advance(ms - 1);
  end();
  await advance(1);
  const answer = await Promise.race([second, settled().then(() => "waits")]);
  return answer === "no room" ? "503" : answer;
}

/** The last of this many waiting orders. */
async function waitingWith(count: number): Promise<string> {
  const { media } = holdings();
  void media.hold(FULL, forEver);
  const waiting = Array.from({ length: count }, () => media.hold(1, forEver));
  const last = await Promise.race([waiting.at(-1)!, settled().then(() => TAKEN)]);
  return last === "no room" ? "503" : last;
}

export const IMAGE_TRIALS = {
  "image-size": upTo((px) => refused(readStill, { width: String(px) })),
  "download-name": upTo((length) =>
    refused((query) => downloadName(query, "capped-4k", ".mp4"), { download: "x".repeat(length) }),
  ),
  "image-clip-length": upTo((ms) => refused(readClip, { start: "1", end: String(1 + ms / 1000) })),
  "image-clip-size": upTo((px) => refused(readClip, { height: String(px) })),
  "image-clip-rate": upTo((rate) => refused(readClip, { fps: String(rate) })),
  "image-blur": upTo((percent) => refused(readStill, { blur: String(percent) })),
  // A GOP lasts two seconds, a segment two GOPs.
  "image-sheet-tiles": upTo((tiles) => unlessLonger(planSheet([ladderRung({ gops: tiles })]), 2)),
  "image-advanced-tiles": upTo((tiles) => unlessLonger(planAdvancedSheet([ladderRung({ gops: tiles })], 2), 2)),
  "image-sheet-media": upTo((bytes) =>
    unlessLonger(planSheet([ladderRung({ gops: 2, keyframeBytes: [bytes - 1000, 1000] })]), 2),
  ),
  "image-media": upTo(rungOfStill),
  "image-media-at-once": upTo(heldTogether),
  "image-media-wait": upTo(heldAfter),
  "image-media-waits": upTo(waitingWith),
  "encoder-image-request": upTo((bytes) => answered(isRequestLength(bytes), "422")),
  "encoder-image-media": upTo((bytes) => answered(isMediaLength({ kind: "picture", bytes } as PictureRequest), "422")),
  "encoder-image-time": upTo((ms) => answered(!takesTooLong(1000, 1000 + ms), "422")),
  "encoder-images": upTo((waiting) => placed(waiting, (n) => `w${n}`)),
  "encoder-images-of-workspace": upTo((waiting) => placed(waiting, () => "w")),
};
