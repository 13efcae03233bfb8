import type { RecordedSession, SegmentRange } from "../origin/recorded-session.ts";
import { windowOf } from "../recording/recorded-index.ts";
import type { EdgeParts } from "./parts.ts";

/** As `readSession`, from the recording. @returns null when there is no recording; `busy` = retry after a second */
export async function readRecordedWindow(
  { env, recordedReader }: EdgeParts,
  sessionId: string,
  range: SegmentRange,
): Promise<RecordedSession | null | "busy"> {
  const index = await recordedReader.read(env, sessionId);
  return typeof index === "object" && index !== null ? windowOf(index, range) : index;
}
