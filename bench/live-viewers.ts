/** How long after a part exists 500 waiting viewers have it, beside one viewer; without a cache in between. */
import { startBroadcaster } from "../test/support/clock-broadcaster.ts";
import { eventually, newLiveStream, segmentsOf, smallestPlaylist } from "../test/support/live-watch.ts";
import { holdViewers } from "../test/support/live-viewers.ts";
import { startTestPlatform } from "../test/support/platform.ts";
import { type Figure, milliseconds, quantile } from "./support/figures.ts";

const VIEWERS = 500;
const PARTS = 24;

/** Ends of all parts that a playlist lists, by URL, as captured: epoch ms. */
async function capturedAt(playlistUrl: string): Promise<Map<string, number>> {
  const ends = new Map<string, number>();
  let atMs = Number.NaN;
  for (const line of (await (await fetch(playlistUrl)).text()).split("\n")) {
    const date = /^#EXT-X-PROGRAM-DATE-TIME:(.*)/.exec(line)?.[1];
    const part = /^#EXT-X-PART:DURATION=([\d.]+),URI="([^"]+)"/.exec(line);
    if (date !== undefined) atMs = Date.parse(date);
    if (part === null) continue;
    atMs += Number(part[1]) * 1000;
    ends.set(new URL(part[2]!, playlistUrl).href, atMs);
  }
  return ends;
}

/** From the capture of a part's end to the moment in which a viewer has it whole, for all viewers and parts. */
async function delays(playlistUrl: string, viewers: number, parts: number): Promise<number[]> {
  const found: number[] = [];
  // Dates of parts leave the playlist: a few at a time.
  for (let seen = 0; seen < parts; seen += 8) {
    const report = await holdViewers(viewers, { playlistUrl, parts: 8 });
    if (report.refused.length + report.stale.length > 0)
      throw new Error(`answers were wrong: ${[...report.refused, ...report.stale].slice(0, 3).join(", ")}`);
    const ends = await capturedAt(playlistUrl);
    for (const [url, times] of report.parts)
      found.push(...times.flatMap((time) => (ends.has(url) ? [time - ends.get(url)!] : [])));
  }
  return found;
}

export async function run(): Promise<Figure[]> {
  const platform = await startTestPlatform();
  try {
    const stream = await newLiveStream(platform);
    const small = { widthPx: 480, heightPx: 270, frameRate: 15, bitrateBps: 600_000 };
    const broadcaster = await startBroadcaster(stream.ingest.rtmp, small);
    try {
      const manifest = `${platform.baseUrl}/${stream.playbackIds[0]!.id}.m3u8`;
      const playlist = (await eventually("a playlist", () => smallestPlaylist(manifest)))!;
      await eventually("three segments", async () => ((await segmentsOf(playlist))?.length ?? 0) >= 3 || null);
      const one = await delays(playlist, 1, PARTS);
      const all = await delays(playlist, VIEWERS, PARTS);
      const [single, many] = [quantile(one, 0.95), quantile(all, 0.95)];
      return [
        {
          name: `part delivered to ${VIEWERS} waiting viewers, p95`,
          value: `${milliseconds(many - single)} more`,
          yardstick: `one viewer ${milliseconds(single)} after its capture, all ${milliseconds(many)}`,
          aim: "≤ 150 ms more",
          isMet: many - single <= 150,
          raw: { one, p50: quantile(all, 0.5), p95: many, max: Math.max(...all), samples: all.length },
        },
      ];
    } finally {
      await broadcaster.stop();
    }
  } finally {
    await platform.stop();
    await platform.removeHome();
  }
}
