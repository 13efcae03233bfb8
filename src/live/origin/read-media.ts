import type { OriginSession } from "../../media/live/origin-facts.ts";
import { type LiveRendition, nextPart, segmentAt } from "../../media/live/timeline.ts";
import { renditionKey } from "../../platform/storage/keys.ts";
import type { OriginComponents } from "./components.ts";
import { segmentOf } from "./index/origin-history.ts";
import type { OriginAnswer } from "./origin-calls.ts";

/**
 * Reads a segment or one of its parts. Waits for the next part, and streams the unfinished segment as it grows.
 *
 * @param part null = the whole segment
 */
export async function readMedia(
  origin: OriginComponents,
  name: string,
  msn: number,
  part: number | null,
): Promise<OriginAnswer> {
  const { index, requests } = origin;
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
    return { kind: "growing", stream: growingSegment(origin, session, name, msn, bytesOf), initVersion };
  }
  const isHinted = part !== null && next !== null && next.msn === msn && next.part === part;
  if (isHinted && !(await requests.wait(name, { msn, part }, session, true))) return { kind: "late" };
  // A request that was held until the end gets the same answer as one that arrives later.
  if (part === null && rendition.hasEnded && msn > (rendition.segments.at(-1)?.msn ?? -1)) return { kind: "ended" };
  return finishedMedia(origin, rendition, session, msn, part);
}

function finishedMedia(
  { index }: OriginComponents,
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

/**
 * Streams an unfinished segment. Fails when parts stop arriving, so that no cache keeps half a segment.
 *
 * @param bytesOf a part that has arrived; null = it has been deleted
 */
export function growingSegment(
  origin: OriginComponents,
  session: OriginSession,
  name: string,
  msn: number,
  bytesOf: (part: number) => Uint8Array | null,
): ReadableStream<Uint8Array> {
  let part = 0;
  return new ReadableStream({
    type: "bytes",
    pull: async (controller: ReadableByteStreamController) => {
      const { index, requests } = origin;
      const segment = () => segmentAt(index.rendition(name)!, msn);
      const isThere = () => part < (segment()?.parts.length ?? 0);
      const isOver = () => segment()?.isWhole === true || index.rendition(name)!.hasEnded;
      if (!isThere() && !isOver() && !(await requests.wait(name, { msn, part }, session, true)))
        return controller.error(new Error("timed out waiting for the rest of the segment"));
      const bytes = isThere() ? bytesOf(part) : null;
      if (bytes !== null) {
        part += 1;
        controller.enqueue(bytes);
      }
      if (isOver() && !isThere()) {
        if (part === 0) controller.error(new Error("no such segment"));
        else controller.close();
      } else if (bytes === null) controller.error(new Error("the segment has been deleted"));
    },
  });
}
