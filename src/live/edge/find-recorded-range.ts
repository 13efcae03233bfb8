import type { RangeAnswer } from "../origin/recorded-session.ts";
import { findRangeInIndex } from "../recording/recorded-index.ts";
import type { EdgeParts } from "./parts.ts";

/** As `findRange`, from the recording. @returns null when there is no recording; `busy` = retry after a second */
export async function findRecordedRange(
  { env, recordedReader }: EdgeParts,
  sessionId: string,
  startSeconds: number,
  endSeconds: number,
): Promise<RangeAnswer | null | "busy"> {
  const index = await recordedReader.read(env, sessionId);
  return typeof index === "object" && index !== null ? findRangeInIndex(index, startSeconds, endSeconds) : index;
}
