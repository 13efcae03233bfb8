import { fullPlaylists, type StreamEvidence } from "./evidence.ts";
import { gather, type GatherOptions } from "./gather.ts";
import { judge, type Rule, type Verdict } from "./rule.ts";
import { CADENCE_RULES } from "./rules/cadence.ts";
import { DATE_RULES } from "./rules/dates.ts";
import { DELIVERY_RULES } from "./rules/delivery.ts";
import { DELTA_RULES } from "./rules/delta.ts";
import { MEDIA_RULES } from "./rules/media.ts";
import { PART_RULES } from "./rules/parts.ts";
import { RELOAD_RULES } from "./rules/reload.ts";
import { REPORT_RULES } from "./rules/reports.ts";
import { TAG_RULES } from "./rules/tags.ts";
import { TIME_RULES } from "./rules/time.ts";
import { VARIANT_RULES } from "./rules/variants.ts";
import { WINDOW_RULES } from "./rules/window.ts";

export const RULES: Rule[] = [
  ...TAG_RULES,
  ...WINDOW_RULES,
  ...CADENCE_RULES,
  ...PART_RULES,
  ...MEDIA_RULES,
  ...RELOAD_RULES,
  ...DELTA_RULES,
  ...REPORT_RULES,
  ...TIME_RULES,
  ...DATE_RULES,
  ...VARIANT_RULES,
  ...DELIVERY_RULES,
];

export interface Checked {
  stream: StreamEvidence;
  verdicts: Verdict[];
}

/** Follows a stream and judges the evidence. @throws when there is no playlist at the URL */
export async function check(url: string, options: GatherOptions): Promise<Checked> {
  const stream = await gather(url, options);
  const playlists = stream.renditions.flatMap(fullPlaylists);
  if (playlists.length > 0 && playlists.every(({ playlist }) => playlist.playlistType === "VOD"))
    throw new Error(`${url} is on demand (EXT-X-PLAYLIST-TYPE:VOD). Give the URL of a live stream.`);
  return { stream, verdicts: judge(RULES, stream) };
}
