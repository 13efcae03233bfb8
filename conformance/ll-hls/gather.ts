import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "./client.ts";
import type { Exchange, StreamEvidence } from "./evidence.ts";
import { follow } from "./follow.ts";
import { isMultivariant, type Multivariant, parseMultivariant } from "./multivariant.ts";

/** Responses to blocking requests take up to 3 target durations, rarely more than 10 s. */
const ANSWER_WITHIN_MS = 35_000;
/** A stream that has just begun may refuse the first requests. */
const BEGINS_WITHIN_MS = 10_000;
/** How long a held request may continue after the end of the check. */
const HELD_MS = 1000;

export interface GatherOptions {
  seconds: number;
}

/** Follows all renditions of a stream at once. @throws when there is no playlist at all */
export async function gather(url: string, { seconds }: GatherOptions): Promise<StreamEvidence> {
  const client = new Client(ANSWER_WITHIN_MS);
  const lag = monitorEventLoopDelay();
  lag.enable();
  const { exchange: entry, text } = await enter(client, url);
  const multivariant = isMultivariant(text) ? parseMultivariant(text, entry.url) : null;
  const untilMs = Date.now() + seconds * 1000;
  const followers = playlistsOf(multivariant, url).map((one) => follow(one, client, untilMs));
  await Promise.all(followers.map(({ followed }) => followed));
  await Promise.race([Promise.all(followers.map(({ collected }) => collected())), pause(HELD_MS)]);
  client.stop();
  await Promise.all(followers.map(({ collected }) => collected()));
  lag.disable();
  const renditions = followers.map(({ evidence }) => evidence);
  return { url: entry.url, multivariant, entry, renditions, lagS: lag.max / 1e9 };
}

async function enter(client: Client, url: string): Promise<{ exchange: Exchange; text: string }> {
  const untilMs = Date.now() + BEGINS_WITHIN_MS;
  for (;;) {
    const answer = (await client.get(url))!;
    const text = new TextDecoder().decode(answer.bytes);
    if (answer.exchange.status === 200 && text.startsWith("#EXTM3U")) return { exchange: answer.exchange, text };
    if (Date.now() > untilMs)
      throw new Error(`${url} answered ${answer.exchange.status || "nothing"}; it is not a playlist.`);
    await pause(500);
  }
}

const playlistsOf = (multivariant: Multivariant | null, url: string): string[] =>
  multivariant === null
    ? [url]
    : [
        ...new Set([
          ...multivariant.variants.map((variant) => variant.url),
          ...multivariant.renditions.flatMap((rendition) => (rendition.url === null ? [] : [rendition.url])),
        ]),
      ];
