import type { OriginSession } from "../../media/live/origin-facts.ts";
import { segmentAt } from "../../media/live/timeline.ts";
import type { EdgeParts } from "./parts.ts";

/**
 * Streams an unfinished segment. Fails when parts stop arriving, so that no cache keeps half a segment.
 *
 * @param bytesOf a part that has arrived; null = it has been deleted
 */
export function growingSegment(
  edge: EdgeParts,
  session: OriginSession,
  name: string,
  msn: number,
  bytesOf: (part: number) => Uint8Array | null,
): ReadableStream<Uint8Array> {
  let part = 0;
  return new ReadableStream({
    type: "bytes",
    pull: async (controller: ReadableByteStreamController) => {
      const { index, requests } = edge;
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
