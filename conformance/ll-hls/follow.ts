import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "./client.ts";
import { Collector } from "./collector.ts";
import type { PlaylistAnswer, RenditionEvidence } from "./evidence.ts";
import { holds, isAtLeast, lastPlace, type MediaPlaylist, nextPlace } from "./playlist.ts";

export interface Follower {
  evidence: RenditionEvidence;
  /** Resolves at `untilMs`, or at the end of the stream. */
  followed: Promise<void>;
  /** Resolves when every load has ended. */
  collected: () => Promise<void>;
}

/** Follows one rendition at its live edge by blocking reloads, loads its resources, and probes its directives once. */
export function follow(url: string, client: Client, untilMs: number): Follower {
  const evidence: RenditionEvidence = { url, playlists: [], media: [] };
  const collector = new Collector(client, evidence);
  const followed = reload(evidence, collector, client, untilMs);
  return { evidence, followed, collected: () => collector.done() };
}

async function reload(
  evidence: RenditionEvidence,
  collector: Collector,
  client: Client,
  untilMs: number,
): Promise<void> {
  const { url } = evidence;
  const keep = (answer: PlaylistAnswer | null) => {
    if (answer !== null) evidence.playlists.push(answer);
    return answer?.playlist ?? null;
  };
  let current = keep(await client.playlist(url, "first"));
  if (current === null) return;
  collector.see(current);
  const probes = probe(url, current, client).then((answers) => answers.forEach(keep));
  for (let turn = 0; Date.now() < untilMs && !current.hasEnded; turn += 1) {
    const { partTargetS, targetDurationS, serverControl } = current;
    const waitMs = 1000 * (partTargetS ?? (targetDurationS ?? 2) / 2);
    const canBlock = serverControl?.get("CAN-BLOCK-RELOAD") === "YES";
    if (!canBlock) await pause(waitMs);
    const place = nextPlace(current);
    const directives = canBlock ? { msn: place.msn, ...(place.part === null ? {} : { part: place.part }) } : {};
    const [full, delta] = await Promise.all([
      client.playlist(url, "reload", directives),
      turn % 2 === 0 ? client.playlist(url, "delta", { ...directives, skip: true }) : null,
    ]);
    // The delta update is stored first, because it applies to the playlist before this iteration.
    keep(delta);
    const next = keep(full);
    const isForward = next !== null && isNotBehind(next, current);
    if (next === null || !holds(next, place)) await pause(waitMs); // a response without progress must not cause a request storm
    if (!isForward) continue;
    current = next;
    collector.see(current);
  }
  await probes;
  if (current.hasEnded) keep(await afterTheEnd(url, current, client));
}

function isNotBehind(next: MediaPlaylist, current: MediaPlaylist): boolean {
  const [to, from] = [lastPlace(next), lastPlace(current)];
  return to !== null && (from === null || isAtLeast(to, from));
}

/**
 * Directives that must be refused, and one in the past beside a request without any, which shows how long an answer takes at that moment. "Far" leaves
 * room for a segment that ends meanwhile.
 */
async function probe(url: string, playlist: MediaPlaylist, client: Client): Promise<(PlaylistAnswer | null)[]> {
  if (playlist.hasEnded || playlist.serverControl?.get("CAN-BLOCK-RELOAD") !== "YES") return [];
  const newest = playlist.segments.at(-1)?.msn ?? playlist.mediaSequence;
  return await Promise.all([
    client.playlist(url, "part alone", { part: 0 }),
    client.playlist(url, "far segment", { msn: newest + 20 }),
    playlist.partTargetS === null ? null : client.playlist(url, "far part", { msn: newest + 1, part: 1000 }),
    client.playlist(url, "old", { msn: playlist.mediaSequence }),
    client.playlist(url, "plain"),
  ]);
}

/** A playlist that has ended ignores directives and never changes. */
async function afterTheEnd(
  url: string,
  { targetDurationS }: MediaPlaylist,
  client: Client,
): Promise<PlaylistAnswer | null> {
  await pause((targetDurationS ?? 1) * 1000);
  return await client.playlist(url, "after the end", { msn: 1_000_000, part: 0, skip: true });
}
