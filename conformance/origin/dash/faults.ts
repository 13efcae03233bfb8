/** Faults of the DASH test origin, one at a time. */
export const DASH_FAULTS = {
  "Role before Label": "elements in an order that the schema does not allow",
  "another content type": "the MPD is sent as text/xml",
  "no Date": "answers have no Date",
  "no availability start": "a dynamic MPD without availabilityStartTime",
  "static with an update period": "minimumUpdatePeriod in a static MPD",
  "no clock": "a dynamic MPD without UTCTiming",
  "the clock is gone": "the URL of UTCTiming answers 404",
  "an id twice": "two Representations of one id",
  "no aspect ratio": "a video set without par",
  "no frame rate": "video Representations without frameRate",
  "no channels": "audio without AudioChannelConfiguration",
  "Periods overlap": "a Period starts 1 s before the one before it ends",
  "segments too long": "maxSegmentDuration of half a segment",
  "a hole": "a segment is left out of a timeline",
  "not aligned": "one rung is cut elsewhere",
  "the end is missing": "the last segments of a Period are not listed",
  "offset of a segment": "availabilityTimeOffset of a whole segment",
  "no latency target": "low latency without ServiceDescription",
  "no producer time": "low latency without ProducerReferenceTime",
  "bandwidth too small": "bandwidth of 100 bit/s",
  "publish time goes back": "publishTime runs backwards",
  "segments move": "each update shifts the timeline",
  "segments vanish": "an update lists fewer new segments",
  "gone at the end": "410 at the end of the stream",
  "segments not found": "listed segments answer 404",
  "another codec": "the media has a higher level than codecs",
  "media begins late": "media begins 50 ms after its time in the MPD",
  "media is short": "media is 50 ms shorter than in the MPD",
  "no sync sample": "segments begin with a non-sync sample",
} as const;

export type DashFault = keyof typeof DASH_FAULTS;

/** Faults that only a dynamic MPD can have. */
export const LIVE_FAULTS: ReadonlySet<DashFault> = new Set([
  "no availability start",
  "no clock",
  "the clock is gone",
  "offset of a segment",
  "no latency target",
  "no producer time",
  "publish time goes back",
  "segments move",
  "segments vanish",
  "gone at the end",
]);
