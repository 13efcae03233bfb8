/** Plans the rungs of a live picture. Pure. */
import { fitInto, planLadder, type Size } from "../../protocol/ladder.ts";
import type { VideoRung } from "../../protocol/jobs.ts";
import type { Fraction } from "../../protocol/source-facts.ts";
import type { IngestSettings } from "../../protocol/live.ts";

/** @param source display size, square pixels */
export const planLiveLadder = (source: Size, rate: Fraction, max: IngestSettings["maxResolution"]): VideoRung[] =>
  planLadder(source, rate, max, "standard");

/**
 * Fits the rungs to a picture of another size. Players identify a rendition by its name for the whole session, so none is added or removed.
 * Each rung keeps its bounding box and gets the new aspect ratio; a smaller picture is not upscaled.
 */
export const refitLadder = (rungs: VideoRung[], source: Size): VideoRung[] =>
  rungs.map((rung) => ({ ...rung, ...fitInto(source, Number.parseInt(rung.name.slice(1), 10)) }));
