import type { AdaptationSet, Descriptor, Mpd, Period, Representation, Segment } from "./manifest.ts";
import { childrenNamed, type Element, parseXml } from "./xml.ts";

/**
 * Parses an MPD whose segments are listed by `SegmentTimeline`.
 *
 * @param url of the MPD, to which its URLs are relative
 * @throws on malformed XML and on other segment addressing
 */
export function parseMpd(text: string, url: string): Mpd {
  const root = parseXml(text);
  if (root.name !== "MPD") throw new Error(`The root element is ${root.name}, not MPD.`);
  const { attributes } = root;
  const durationS = seconds(attributes.mediaPresentationDuration);
  const [latency] = childrenNamed(root, "ServiceDescription").flatMap((one) => childrenNamed(one, "Latency"));
  return {
    isDynamic: attributes.type === "dynamic",
    attributes,
    availabilityStartMs: epochMs(attributes.availabilityStartTime),
    publishMs: epochMs(attributes.publishTime),
    minBufferS: seconds(attributes.minBufferTime),
    maxSegmentS: seconds(attributes.maxSegmentDuration),
    durationS,
    minimumUpdateS: seconds(attributes.minimumUpdatePeriod),
    timeShiftS: seconds(attributes.timeShiftBufferDepth),
    location: childrenNamed(root, "Location").map(({ text }) => new URL(text.trim(), url).href)[0] ?? null,
    clocks: childrenNamed(root, "UTCTiming").map(descriptor),
    latencyTargetMs: number(latency?.attributes.target),
    periods: readPeriods(childrenNamed(root, "Period"), durationS, baseOf(root, url)),
  };
}

const baseOf = (element: Element, url: string): string =>
  new URL(childrenNamed(element, "BaseURL")[0]?.text.trim() ?? "", url).href;

function readPeriods(elements: Element[], presentationS: number | null, base: string): Period[] {
  const periods: Period[] = [];
  for (const [index, element] of elements.entries()) {
    const { id, start, duration } = element.attributes;
    const startS = seconds(start) ?? periods.at(-1)?.endS ?? 0;
    const durationS = seconds(duration);
    const nextS = seconds(elements[index + 1]?.attributes.start);
    const ownEndS = durationS === null ? null : startS + durationS;
    const endS = ownEndS ?? nextS ?? presentationS;
    const period = { id: id ?? null, startS, durationS, endS, sets: [] };
    const periodBase = baseOf(element, base);
    const sets = childrenNamed(element, "AdaptationSet").map((set) => readSet(set, period, baseOf(set, periodBase)));
    periods.push({ ...period, sets });
  }
  return periods;
}

type PeriodTimes = Pick<Period, "startS" | "endS">;

function readSet(element: Element, period: PeriodTimes, base: string): AdaptationSet {
  const { attributes } = element;
  return {
    id: attributes.id ?? null,
    attributes,
    contentType: attributes.contentType ?? attributes.mimeType?.split("/")[0] ?? "unknown",
    isAligned: attributes.segmentAlignment === "true",
    representations: childrenNamed(element, "Representation").map((one) =>
      readRepresentation(one, element, period, baseOf(one, base)),
    ),
  };
}

function readRepresentation(element: Element, set: Element, period: PeriodTimes, base: string): Representation {
  const templates = [set, element].flatMap((one) => childrenNamed(one, "SegmentTemplate"));
  const template = Object.assign({}, ...templates.map(({ attributes }) => attributes)) as Record<string, string>;
  const timeline = templates.flatMap((one) => childrenNamed(one, "SegmentTimeline")).at(-1);
  const id = element.attributes.id ?? "";
  // Subtitles in one file, at the address of the Representation itself (ISO/IEC 23009-1 §5.3.9.1).
  const isWholeFile =
    timeline === undefined &&
    set.attributes.mimeType?.startsWith("text/") === true &&
    childrenNamed(element, "BaseURL").length > 0;
  if (timeline === undefined && !isWholeFile)
    throw new Error(`Representation ${id} has no SegmentTimeline; other addressing is not supported.`);
  const timescale = number(template.timescale) ?? 1;
  const presentationTimeOffset = number(template.presentationTimeOffset) ?? 0;
  const attributes = { ...set.attributes, ...element.attributes };
  const both = (name: string) => [...childrenNamed(set, name), ...childrenNamed(element, name)];
  return {
    id,
    attributes,
    bandwidthBps: number(attributes.bandwidth) ?? 0,
    startWithSap: number(attributes.startWithSAP),
    channelConfigurations: both("AudioChannelConfiguration").map(descriptor),
    producerTimes: both("ProducerReferenceTime").length,
    timescale,
    presentationTimeOffset,
    initUrl:
      template.initialization === undefined
        ? null
        : fill(template.initialization, { RepresentationID: id, Bandwidth: attributes.bandwidth ?? "" }, base),
    availabilityTimeOffsetS: number(template.availabilityTimeOffset),
    isAvailableComplete: template.availabilityTimeComplete !== "false",
    isWholeFile,
    segments: readTimeline(timeline === undefined ? [] : childrenNamed(timeline, "S"), {
      firstNumber: number(template.startNumber) ?? 1,
      toSeconds: (ticks) => period.startS + (ticks - presentationTimeOffset) / timescale,
      untilTicks: period.endS === null ? null : (period.endS - period.startS) * timescale + presentationTimeOffset,
      address: (values) => fill(template.media ?? "", { RepresentationID: id, ...values }, base),
    }),
  };
}

interface TimelineContext {
  firstNumber: number;
  toSeconds: (ticks: number) => number;
  untilTicks: number | null;
  address: (values: Record<string, string>) => string;
}

function readTimeline(entries: Element[], context: TimelineContext): Segment[] {
  const { firstNumber, toSeconds, untilTicks, address } = context;
  const segments: Segment[] = [];
  let ticks = 0;
  for (const [index, { attributes }] of entries.entries()) {
    const durationTicks = number(attributes.d) ?? 0;
    const repeats = number(attributes.r) ?? 0;
    ticks = number(attributes.t) ?? ticks;
    const nextTicks = number(entries[index + 1]?.attributes.t) ?? untilTicks ?? ticks + durationTicks;
    const count = repeats >= 0 ? repeats + 1 : Math.ceil((nextTicks - ticks) / durationTicks);
    for (let repeat = 0; repeat < count; repeat += 1) {
      const numbered = firstNumber + segments.length;
      segments.push({
        number: numbered,
        url: address({ Number: String(numbered), Time: String(ticks) }),
        startTicks: ticks,
        durationTicks,
        startS: toSeconds(ticks),
        endS: toSeconds(ticks + durationTicks),
      });
      ticks += durationTicks;
    }
  }
  return segments;
}

/** `$Number%05d$` and the like (ISO/IEC 23009-1 §5.3.9.4.4). */
function fill(template: string, values: Record<string, string>, base: string): string {
  const path = template.replace(/\$(\w*)(?:%0(\d+)d)?\$/g, (_, name: string, width: string | undefined) =>
    name === "" ? "$" : (values[name] ?? "").padStart(Number(width ?? 0), "0"),
  );
  return new URL(path, base).href;
}

const descriptor = ({ attributes }: Element): Descriptor => ({
  schemeIdUri: attributes.schemeIdUri ?? "",
  value: attributes.value ?? null,
});

const number = (text: string | undefined): number | null => (text === undefined ? null : Number(text));
const epochMs = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text));

const DURATION = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/;

/** `xs:duration` without years and months, whose length depends on the date. */
function seconds(text: string | undefined): number | null {
  const [, days = 0, hours = 0, minutes = 0, rest = 0] = DURATION.exec(text ?? "") ?? [];
  if (text === undefined) return null;
  return ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(rest);
}
