/** Delay until 500 waiting viewers have a part, compared with one viewer; without a cache in between. */
import { hlsNumberOf } from "../src/media/live/hls-numbers.ts";
import { parseMediaPlaylist } from "../conformance/ll-hls/parse.ts";
import { startBroadcaster } from "../test/support/clock-broadcaster.ts";
import { eventually, newLiveStream, segmentsOf, smallestPlaylist } from "../test/support/live-watch.ts";
import { startTestPlatform } from "../test/support/platform.ts";
import { type Figure, milliseconds, quantile } from "./support/figures.ts";
import { WaitingViewers } from "./support/waiting-viewers.ts";

const VIEWERS = 500;
const PARTS = 24;

/**
 * One viewer follows the playlist and passes the next part's address to the others, which request it and wait.
 *
 * @returns for each part, the others' delays behind its first viewer, in ms
 */
async function delays(playlistUrl: string, viewers: WaitingViewers): Promise<{ edge: number[]; all: number[] }> {
  const [edge, all]: [number[], number[]] = [[], []];
  let query = "";
  for (let part = 0; part < PARTS; part += 1) {
    const text = await (await fetch(`${playlistUrl}${query}`)).text();
    const playlist = parseMediaPlaylist(text, playlistUrl);
    const hint = playlist.hints.find(({ type }) => type === "PART")!.uri;
    const times = await viewers.ask(hint);
    const [, msn, number] = /(\d+)\.(\d+)\.m4s/.exec(hint)!;
    query = `?_HLS_msn=${hlsNumberOf(Number(msn))}&_HLS_part=${number}`;
    const capturedAt = await endOf(playlistUrl, hint);
    if (capturedAt === null) continue;
    edge.push(Math.min(...times) - capturedAt);
    all.push(...times.map((time) => time - capturedAt));
  }
  return { edge, all };
}

/** Capture time of a part's end, epoch ms, by the dates of its playlist. */
async function endOf(playlistUrl: string, partUrl: string): Promise<number | null> {
  let atMs = Number.NaN;
  for (const line of (await (await fetch(playlistUrl)).text()).split("\n")) {
    const date = /^#EXT-X-PROGRAM-DATE-TIME:(.*)/.exec(line)?.[1];
    const part = /^#EXT-X-PART:DURATION=([\d.]+),URI="([^"]+)"/.exec(line);
    if (date !== undefined) atMs = Date.parse(date);
    if (part === null) continue;
    atMs += Number(part[1]) * 1000;
    if (new URL(part[2]!, playlistUrl).href === partUrl) return atMs;
  }
  return null;
}

export async function run(): Promise<Figure[]> {
  const platform = await startTestPlatform({ withIngest: true });
  try {
    const stream = await newLiveStream(platform);
    const small = { widthPx: 480, heightPx: 270, frameRate: 15, bitrateBps: 600_000 };
    const broadcaster = await startBroadcaster(stream.ingest.rtmp, small);
    try {
      const manifest = `${platform.baseUrl}/${stream.playbackIds[0]!.id}.m3u8`;
      const playlist = await eventually("a playlist", () => smallestPlaylist(manifest));
      await eventually("three segments", async () => ((await segmentsOf(playlist))?.length ?? 0) >= 3 || null);
      const [one, many] = await Promise.all([1, VIEWERS].map((count) => WaitingViewers.open(count, platform.baseUrl)));
      const single = await delays(playlist, one!);
      const crowd = await delays(playlist, many!);
      one!.close();
      many!.close();
      const [oneMs, allMs] = [quantile(single.all, 0.95), quantile(crowd.all, 0.95)];
      return [
        {
          name: `part delivered to ${VIEWERS} waiting viewers, p95`,
          value: `${milliseconds(allMs - oneMs)} more`,
          yardstick: `one viewer ${milliseconds(oneMs)} after its capture, all ${milliseconds(allMs)}`,
          aim: "≤ 150 ms more",
          isMet: allMs - oneMs <= 150,
          raw: { single, crowd: { edge: crowd.edge, p50: quantile(crowd.all, 0.5), p95: allMs } },
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
