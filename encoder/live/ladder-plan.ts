/** The rungs of a live picture. Pure. */
import { fitInto, planLadder, type Size } from "../../protocol/ladder.ts";
import type { Fraction, VideoRung } from "../../protocol/jobs.ts";
import type { IngestSettings } from "../../protocol/live.ts";

/** @param source display size, square pixels */
export const planLiveLadder = (source: Size, rate: Fraction, max: IngestSettings["maxResolution"]): VideoRung[] =>
  planLadder(source, rate, max, "standard");

/**
 * The same rungs for a picture of another size: players know a rendition by its name for the whole session, so none comes or goes.
 * A rung has the new picture's shape inside its own box; a smaller picture is not enlarged.
 */
export const refitLadder = (rungs: VideoRung[], source: Size): VideoRung[] =>
  rungs.map((rung) => ({ ...rung, ...fitInto(source, Number.parseInt(rung.name.slice(1), 10)) }));
