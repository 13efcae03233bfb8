import type { OriginSession } from "../../media/live/origin-facts.ts";
import { type LiveRendition, nextPart, segmentAt } from "../../media/live/timeline.ts";
import { renditionKey } from "../../platform/storage/keys.ts";
import { segmentOf } from "../origin/origin-history.ts";
import type { OriginAnswer } from "../origin/origin-rpc.ts";
import { growingSegment } from "./growing-segment.ts";
import type { EdgeParts } from "./parts.ts";

/**
 * Reads a segment or one of its parts. Waits for the next part, and streams the unfinished segment as it grows.
 *
 * @param part null = the whole segment
 */
export async function readMedia(
  edge: EdgeParts,
  name: string,
  msn: number,
  part: number | null,
): Promise<OriginAnswer> {
  const { index, requests } = edge;
  const { session } = index;
  const rendition = index.rendition(name);
  if (session === null || rendition === null) return { kind: "nothing" };
  const next = nextPart(rendition);
  const isBeingMade = part === null && next?.msn === msn;
  if (isBeingMade && !(await requests.wait(name, { msn, part: 0 }, session, true))) return { kind: "late" };
  const growing = isBeingMade ? segmentAt(rendition, msn) : null;
  if (growing?.isWhole === false) {
    const { initVersion } = growing;
    const bytesOf = (ready: number) => index.store.bytes(name, msn, ready);
    return { kind: "growing", stream: growingSegment(edge, session, name, msn, bytesOf), initVersion };
  }
  const isHinted = part !== null && next !== null && next.msn === msn && next.part === part;
  if (isHinted && !(await requests.wait(name, { msn, part }, session, true))) return { kind: "late" };
  // A request that was held until the end gets the same answer as one that arrives later.
  if (part === null && rendition.hasEnded && msn > (rendition.segments.at(-1)?.msn ?? -1)) return { kind: "ended" };
  return finishedMedia(edge, rendition, session, msn, part);
}

function finishedMedia(
  { index }: EdgeParts,
  rendition: LiveRendition,
  session: OriginSession,
  msn: number,
  part: number | null,
): OriginAnswer {
  const { store } = index;
  const segment = segmentOf(store, rendition, msn);
  if (segment === null || segment.isGap || (part === null && !segment.isWhole)) return { kind: "nothing" };
  const { initVersion } = segment;
  const bytes = store.bytes(rendition.name, msn, part);
  if (bytes !== null) return { kind: "bytes", bytes, initVersion };
  const key = renditionKey(session.sessionId, rendition.name, `${msn}.m4s`);
  if (part === null) return { kind: "stored", key, range: null, initVersion };
  const parts = store.partsOf(rendition.name, msn);
  if (parts[part] === undefined) return { kind: "nothing" };
  const offset = parts.slice(0, part).reduce((sum, before) => sum + before.bytes, 0);
  return { kind: "stored", key, range: { offset, length: parts[part].bytes }, initVersion };
}
