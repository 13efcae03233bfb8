import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { runInChild, startChild } from "../../encoder/jobs/child-process.ts";
import type { JobError } from "../../encoder/platform/errors.ts";
import * as live from "../../encoder/live/live-streams.ts";
import { refuseTooLarge, refuseTooLong } from "../../encoder/media/facts.ts";
import type { ProbeResult } from "../../protocol/jobs.ts";
import { CallbackServer } from "../support/callback-server.ts";
import type { TRIED_IN } from "../support/limits/ids.ts";
import { readLimits } from "../support/limits/page.ts";
import { TAKEN, type Trial, tryLimits, upTo } from "../support/limits/trials.ts";

const run = promisify(execFile);

const SOUND = ["-f", "lavfi", "-i", "sine=duration=0.2:sample_rate=8000"];
const SUBTITLES = ["-f", "srt", "-i", "data:,1%0A00:00:00,000%20--%3E%2000:00:00,100%0Ax%0A"];

/** A probe of Matroska with this many audio tracks. */
const probed = (streams: number) =>
  probe([...SOUND, ...Array.from({ length: streams }, () => ["-map", "0"]).flat(), "-c:a", "pcm_s16le"], () => TAKEN);
/** Whether a probe lists all of this many subtitle streams. */
const listed = (streams: number) =>
  probe(
    [...SOUND, ...SUBTITLES, "-map", "0", ...Array.from({ length: streams }, () => ["-map", "1"]).flat()],
    ({ facts: { subtitles = [] } }) => (subtitles.length === streams ? TAKEN : `first ${subtitles.length}`),
  );

/** @param words of ffmpeg, which makes the source */
async function probe(words: string[], read: (result: ProbeResult) => string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-streams-"));
  const callbacks = new CallbackServer();
  try {
    const path = join(folder, "streams.mkv");
    await run("ffmpeg", ["-v", "error", ...words, path]);
    await callbacks.listen();
    const { callbackUrl, token } = callbacks.open("job", path);
    const job = {
      jobId: "job",
      assetId: "asset",
      attempt: 1,
      kind: "probe" as const,
      callbackUrl,
      token,
      expiresAt: Date.now() + 60_000,
      leaseMs: 10_000,
      clip: { startMs: 0, endMs: null },
    };
    const limits = { silenceMs: 60_000, wallMs: 60_000, rssBytes: 2 ** 31 };
    const listener = { onMove: () => {}, onStored: () => {} };
    const outcome = await runInChild(startChild(), job, limits, listener, new AbortController().signal);
    if (outcome.type === "result" && outcome.result.kind === "probe") return read(outcome.result);
    return outcome.type === "failure" ? outcome.code : outcome.type;
  } finally {
    await callbacks.close();
    await rm(folder, { recursive: true });
  }
}

function refusal(check: () => void): string {
  try {
    check();
    return TAKEN;
  } catch (error) {
    return (error as JobError).code;
  }
}
const livePicture = (width: number, height: number) =>
  refusal(() => live.refuseTooLarge({ codecpar: { width, height } }));
const picture = (width: number, height: number) => refusal(() => refuseTooLarge({ codecpar: { width, height } }));

const TRIALS: Record<(typeof TRIED_IN.encoder)[number], Trial> = {
  "media-streams": upTo(probed),
  "subtitle-streams": upTo(listed),
  "media-length": upTo((ms) => refusal(() => refuseTooLong(ms))),
  "media-pixels": (bound) => {
    const [width, height] = [bound / 4320, 4320];
    if (!Number.isInteger(width)) throw new Error("no picture has so many pixels");
    return { atBound: picture(width, height), above: picture(width + 1, height) };
  },
  "live-pixels": (bound) => {
    const [width, height] = [bound / 2304, 2304];
    if (!Number.isInteger(width)) throw new Error("no picture has so many pixels");
    return { atBound: livePicture(width, height), above: livePicture(width + 1, height) };
  },
  "media-edge": upTo((pixels) => picture(2, pixels)),
};
tryLimits(readLimits(readFileSync("docs/architecture/limits.md", "utf8")), TRIALS);
