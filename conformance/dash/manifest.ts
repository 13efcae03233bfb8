/** An MPD in the form that the rules judge: inherited values resolved, one entry per listed segment. */
export interface Mpd {
  isDynamic: boolean;
  /** All attributes of the root, as written. */
  attributes: Record<string, string>;
  availabilityStartMs: number | null;
  publishMs: number | null;
  minBufferS: number | null;
  maxSegmentS: number | null;
  durationS: number | null;
  minimumUpdateS: number | null;
  timeShiftS: number | null;
  location: string | null;
  clocks: Descriptor[];
  latencyTargetMs: number | null;
  periods: Period[];
}

export interface Descriptor {
  schemeIdUri: string;
  value: string | null;
}

export interface Period {
  id: string | null;
  /** On the timeline of the MPD. */
  startS: number;
  /** From its own duration, the start of the next one, or the end of the presentation; null while it continues. */
  endS: number | null;
  /** `Period@duration`, as written. */
  durationS: number | null;
  sets: AdaptationSet[];
}

export interface AdaptationSet {
  id: string | null;
  attributes: Record<string, string>;
  contentType: string;
  isAligned: boolean;
  representations: Representation[];
}

export interface Representation {
  id: string;
  /** Including those inherited from its AdaptationSet. */
  attributes: Record<string, string>;
  bandwidthBps: number;
  startWithSap: number | null;
  channelConfigurations: Descriptor[];
  /** Number of `ProducerReferenceTime` elements in it or its set. */
  producerTimes: number;
  timescale: number;
  presentationTimeOffset: number;
  /** Null: its segments need none (WebVTT). */
  initUrl: string | null;
  availabilityTimeOffsetS: number | null;
  isAvailableComplete: boolean;
  /** It is one file, without segments (subtitles). */
  isWholeFile: boolean;
  segments: Segment[];
}

export interface Segment {
  number: number;
  url: string;
  startTicks: number;
  durationTicks: number;
  /** On the timeline of the MPD. */
  startS: number;
  endS: number;
}

export interface InPeriod {
  period: Period;
  set: AdaptationSet;
  representation: Representation;
}

/** Every Representation, with its Period and AdaptationSet. */
export const representationsOf = ({ periods }: Mpd): InPeriod[] =>
  periods.flatMap((period) =>
    period.sets.flatMap((set) => set.representations.map((representation) => ({ period, set, representation }))),
  );
