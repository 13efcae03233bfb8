import type { RecordedSession, SegmentRange } from "../origin/recorded-session.ts";
import { listsFrom } from "../recording/recording-lists.ts";
import { recordingSources } from "../recording/recording-sources.ts";
import type { EdgeParts } from "./parts.ts";

/** The session, or a range of it, as on-demand media; null before the first whole segment. */
export function readSession({ holding, index }: EdgeParts, range: SegmentRange | null): RecordedSession | null {
  const { all, session, store } = index;
  if (session === null) return null;
  const renditions = listsFrom(recordingSources(store, all, holding.firstMsn), range);
  if (renditions.length === 0) return null;
  const { video, audio } = session.started ?? { video: null, audio: null };
  const source = { frameRate: video?.frameRate ?? 0, channels: audio?.channels ?? 0 };
  return { variants: session.renditions, ...source, renditions };
}
