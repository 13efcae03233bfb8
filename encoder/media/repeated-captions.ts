/** Finds channels of captions that say what another channel says: broadcasts carry CC1 as CEA-608, and again as service 1 of CEA-708. Pure. */
import type { CaptionsFile } from "../../protocol/captions.ts";

interface Captions {
  cues: CaptionsFile["cues"];
  /** Its cues exceed the bounds of a track, and are dropped. */
  isTooLarge: boolean;
}

/** Words that both have, of the words that one of them has. Damaged words and other line breaks leave a repetition above it; a translation has few. */
const SAME = 0.7;
/** Words of one channel. Further ones decide nothing. */
const MAX_WORDS = 20_000;

/** @param channels by preference @returns without those that repeat an earlier one, and without empty ones */
export function withoutRepeats<Channel extends Captions>(channels: Channel[]): Channel[] {
  const kept: { channel: Channel; words: Set<string> }[] = [];
  for (const channel of channels) {
    if (!hasCues(channel)) continue;
    const words = wordsOf(channel.cues);
    if (!kept.some((other) => isSame(words, other.words))) kept.push({ channel, words });
  }
  return kept.map(({ channel }) => channel);
}

export const hasCues = ({ cues, isTooLarge }: Captions): boolean => cues.length > 0 || isTooLarge;

function wordsOf(cues: CaptionsFile["cues"]): Set<string> {
  const words = new Set<string>();
  for (const [, , payload] of cues) {
    for (const [word] of payload
      .replaceAll(/<[^>]*>/g, "")
      .toLowerCase()
      .matchAll(/[\p{L}\p{N}]+/gu))
      words.add(word);
    if (words.size > MAX_WORDS) break;
  }
  return words;
}

function isSame(one: Set<string>, other: Set<string>): boolean {
  const shared = [...one].filter((word) => other.has(word)).length;
  return shared > 0 && shared >= SAME * (one.size + other.size - shared);
}
