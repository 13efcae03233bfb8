import { timeline } from "../dash/segment-template.ts";
import { element, escapeXml } from "../dash/xml.ts";
import { type CaptionChannel, captionLabels, CAPTIONS_BPS } from "./captions.ts";
import { durations, type Listed, type MpdPeriod } from "./mpd-periods.ts";
import { availability, producerTime, type SetContext } from "./mpd-sets.ts";
import { TEXT_TIMESCALE } from "./wvtt.ts";

/**
 * The captions of the picture, in its segments: that in progress grows with the parts of the picture. They appear in a Period that has begun when
 * they have shown text for the first time.
 *
 * @param firstId of the adaptation sets
 */
export function captionSets(
  [rung]: Listed[],
  firstId: number,
  period: MpdPeriod,
  { captions = [], timing, clockUri }: SetContext & { captions?: readonly CaptionChannel[] },
): string[] {
  if (rung === undefined || captions.length === 0) return [];
  const { live } = rung.rendition;
  const ticks = (pictureTicks: number) => Math.round((pictureTicks * TEXT_TIMESCALE) / live.timescale);
  const segments = rung.segments.map((segment) => {
    const startTicks = ticks(segment.startTicks);
    return { ...segment, startTicks, durationTicks: ticks(segment.startTicks + segment.durationTicks) - startTicks };
  });
  return captionLabels(captions).map(({ name, languageCode, label, isSubtitle }, n) =>
    element(
      "AdaptationSet",
      {
        id: firstId + n,
        contentType: "text",
        mimeType: "application/mp4",
        lang: languageCode,
        segmentAlignment: true,
        startWithSAP: 1,
      },
      `<Label>${escapeXml(label)}</Label>`,
      // The schema requires every Accessibility before the first Role. 2 = for the hard of hearing (ETSI TS 102 822-3-1).
      ...(isSubtitle === true
        ? []
        : [element("Accessibility", { schemeIdUri: "urn:tva:metadata:cs:AudioPurposeCS:2007", value: "2" })]),
      element("Role", {
        schemeIdUri: "urn:mpeg:dash:role:2011",
        value: isSubtitle === true ? "subtitle" : "caption",
      }),
      element(
        "Representation",
        { id: name, codecs: "wvtt", bandwidth: CAPTIONS_BPS },
        producerTime(period, { timescale: TEXT_TIMESCALE, clockUri, inband: false }),
        element(
          "SegmentTemplate",
          {
            timescale: TEXT_TIMESCALE,
            presentationTimeOffset: Math.round(period.mediaSeconds * TEXT_TIMESCALE),
            startNumber: segments[0]!.msn,
            ...availability(live, timing),
            initialization: "$RepresentationID$/init-0.mp4",
            media: "$RepresentationID$/$Number$.m4s",
          },
          element("SegmentTimeline", {}, ...timeline(durations(segments), segments[0]!.startTicks)),
        ),
      ),
    ),
  );
}
