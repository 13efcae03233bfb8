import type { ReadManifest } from "../evidence.ts";
import { type InPeriod, representationsOf } from "../manifest.ts";
import { eachOf, must, type Rule } from "../rule.ts";

const chunked = ({ mpd }: ReadManifest): InPeriod[] =>
  mpd.isDynamic ? representationsOf(mpd).filter(({ representation }) => !representation.isAvailableComplete) : [];

export const LOW_LATENCY_RULES: Rule[] = [
  must(
    "availability-offset",
    "ISO 5.3.9.5.3",
    "The availabilityTimeOffset of incomplete segments is less than a segment",
    eachOf(
      (answer) => chunked(answer).map((one) => ({ ...one, longestS: answer.mpd.maxSegmentS ?? Infinity })),
      "0 < availabilityTimeOffset < maxSegmentDuration",
      ({ representation: { id, availabilityTimeOffsetS }, longestS }) =>
        availabilityTimeOffsetS !== null && availabilityTimeOffsetS > 0 && availabilityTimeOffsetS < longestS
          ? null
          : `${id}: ${availabilityTimeOffsetS}`,
    ),
  ),
  must(
    "latency-target",
    "IOP LL 9.X.4.2",
    "A low-latency MPD has a target latency",
    eachOf(
      (answer) => (chunked(answer).length > 0 ? [answer.mpd] : []),
      "ServiceDescription with a Latency target",
      ({ latencyTargetMs }) => (latencyTargetMs !== null && latencyTargetMs > 0 ? null : "none"),
    ),
  ),
  must(
    "producer-time",
    "IOP LL 9.X.4.2",
    "A low-latency Representation has its capture or encoding time",
    eachOf(chunked, "ProducerReferenceTime", ({ representation }) =>
      representation.producerTimes > 0 ? null : `none in ${representation.id}`,
    ),
  ),
];
