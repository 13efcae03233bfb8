import { Agent, get } from "node:http";
import { parseMediaPlaylist } from "../../conformance/ll-hls/parse.ts";
import { holds, type MediaPlaylist, nextPlace, type Place } from "../../conformance/ll-hls/playlist.ts";

export interface ViewersReport {
  /** By the part's URL: when each viewer had the whole part, epoch ms, in ascending order. */
  parts: Map<string, number[]>;
  /** Number of blocking requests answered with the named segment or part. */
  fresh: number;
  /** Blocking requests answered without the named segment or part: a stale edge. */
  stale: string[];
  /** Answers other than 200. */
  refused: string[];
}

export interface ViewersOptions {
  /** A live media playlist with parts and blocking reloads. */
  playlistUrl: string;
  /** Parts that each viewer loads, from the edge at its start. */
  parts: number;
}

interface Answer {
  status: number;
  text: string;
}

/** Concurrent viewers on their own connections: each follows the playlist by blocking reloads, and loads each part by its preload hint. */
export async function holdViewers(count: number, options: ViewersOptions): Promise<ViewersReport> {
  const report: ViewersReport = { parts: new Map(), fresh: 0, stale: [], refused: [] };
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  const read = playlistReader();
  await Promise.all(Array.from({ length: count }, async () => await watch(options, report, agent, read)));
  agent.destroy();
  return report;
}

/** @returns each viewer's delay behind the first viewer of a part, in ms, over all parts; sorted */
export const delaysMs = ({ parts }: ViewersReport): number[] =>
  [...parts.values()].flatMap((times) => times.map((time) => time - times[0]!)).toSorted((a, b) => a - b);

type Read = (text: string, url: string) => MediaPlaylist;

async function watch(
  { playlistUrl, parts }: ViewersOptions,
  report: ViewersReport,
  agent: Agent,
  read: Read,
): Promise<void> {
  const loads: Promise<void>[] = [];
  const hinted = new Set<string>();
  const load = async (url: string) => {
    const { status } = await ask(url, agent);
    if (status !== 200) return void report.refused.push(`${status} ${url}`);
    const times = report.parts.get(url) ?? [];
    times.push(Date.now());
    report.parts.set(url, times);
  };
  let place: Place | null = null;
  while (hinted.size < parts) {
    const url = place === null ? playlistUrl : withDirectives(playlistUrl, place);
    const { status, text } = await ask(url, agent);
    if (status !== 200) {
      report.refused.push(`${status} ${url}`);
      break;
    }
    const playlist = read(text, playlistUrl);
    if (playlist.hasEnded) break;
    if (place !== null && holds(playlist, place)) report.fresh += 1;
    else if (place !== null) {
      report.stale.push(url);
      break;
    }
    place = nextPlace(playlist);
    const hint = playlist.hints.find(({ type }) => type === "PART");
    if (hint === undefined || hinted.has(hint.uri)) continue;
    hinted.add(hint.uri);
    loads.push(load(hint.uri));
  }
  await Promise.all(loads);
}

/** Parameters in alphabetical order, so that every viewer requests the same URL (§6.3.2). */
function withDirectives(playlistUrl: string, { msn, part }: Place): string {
  const url = new URL(playlistUrl);
  url.searchParams.set("_HLS_msn", String(msn));
  if (part !== null) url.searchParams.set("_HLS_part", String(part));
  url.searchParams.sort();
  return url.href;
}

/** Parses each text once, because viewers get the same texts. */
function playlistReader(): Read {
  const known = new Map<string, MediaPlaylist>();
  return (text, url) => {
    const playlist = known.get(text) ?? parseMediaPlaylist(text, url);
    known.set(text, playlist);
    return playlist;
  };
}

async function ask(url: string, agent: Agent): Promise<Answer> {
  return await new Promise((done, fail) => {
    const request = get(url, { agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("end", () => done({ status: response.statusCode!, text: Buffer.concat(chunks).toString() }));
      response.once("error", fail);
    });
    request.once("error", fail);
  });
}
