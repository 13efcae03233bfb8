/** An MPD as the rules see it: inherited values resolved, every listed segment with its own entry. */
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
  /** Its own duration, the start of the next one, or the end of the presentation; null while it goes on. */
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
  /** With those that it inherits from its adaptation set. */
  attributes: Record<string, string>;
  bandwidthBps: number;
  startWithSap: number | null;
  channelConfigurations: Descriptor[];
  /** How many `ProducerReferenceTime` it has, or its set. */
  producerTimes: number;
  timescale: number;
  presentationTimeOffset: number;
  initUrl: string;
  availabilityTimeOffsetS: number | null;
  isAvailableComplete: boolean;
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

/** Every representation, with where it is. */
export const representationsOf = ({ periods }: Mpd): InPeriod[] =>
  periods.flatMap((period) =>
    period.sets.flatMap((set) => set.representations.map((representation) => ({ period, set, representation }))),
  );
