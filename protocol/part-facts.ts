/** The facts of a live part and their form in the query of its PUT (`PartQuery` of live.ts): one codec for gateway and Worker. */
import type { z } from "zod";
import type { PartQuery } from "./live.ts";

/** Position of a part, which is in the path of its URL. */
export interface PartPlace {
  rendition: string;
  msn: number;
  part: number;
}

/** What players need to know of a part before its bytes. */
export interface PartFacts extends PartPlace {
  durationTicks: number;
  /** Decode time of its first sample, on the session's timeline. */
  decodeTicks: number;
  /** The part starts with a key frame. */
  isIndependent: boolean;
  /** The last part of its segment. */
  isLast: boolean;
  /** Capture time of the segment's first sample, epoch ms. A property of the segment, like the next two: every part has it. */
  capturedAtMs: number;
  /** Whether the segment follows a discontinuity. */
  isDiscontinuous: boolean;
  initVersion: number;
}

const bit = (is: boolean): string => (is ? "1" : "0");

/** @param captionsBytes length of the captions before the part in the body */
export function queryOfPart(facts: PartFacts, captionsBytes: number): URLSearchParams {
  const query = {
    ticks: String(facts.durationTicks),
    at: String(facts.decodeTicks),
    independent: bit(facts.isIndependent),
    last: bit(facts.isLast),
    capturedAt: String(Math.round(facts.capturedAtMs)),
    discontinuity: bit(facts.isDiscontinuous),
    init: String(facts.initVersion),
  } satisfies Record<Exclude<keyof z.input<typeof PartQuery>, "captions">, string>;
  return new URLSearchParams(captionsBytes > 0 ? { ...query, captions: String(captionsBytes) } : query);
}

export const factsOfPart = (place: PartPlace, query: z.output<typeof PartQuery>): PartFacts => ({
  ...place,
  durationTicks: query.ticks,
  decodeTicks: query.at,
  isIndependent: query.independent,
  isLast: query.last,
  capturedAtMs: query.capturedAt,
  isDiscontinuous: query.discontinuity,
  initVersion: query.init,
});
