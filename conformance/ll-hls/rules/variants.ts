import type { RenditionEvidence, StreamEvidence } from "../evidence.ts";
import type { Variant } from "../multivariant.ts";
import { must, type Rule, type Reporter } from "../rule.ts";
import { answersFor, trackOf } from "./media.ts";
import { segmentsOf } from "./parts.ts";

/** Factor by which an encoder may exceed its configured bit rate. */
const TOLERANCE = 1.1;

const each =
  (judge: (variant: Variant, stream: StreamEvidence, report: Reporter) => void): Rule["judge"] =>
  (stream, report) =>
    stream.multivariant?.variants.forEach((variant) => judge(variant, stream, report));

/** Peak bit rate of the loaded segments of 0.5 to 1.5 target durations (§4.4.6.2). */
function peakBps(rendition: RenditionEvidence): number {
  const sizes = answersFor(rendition, "segment");
  const target = rendition.playlists[0]?.playlist?.targetDurationS ?? 0;
  const rates = segmentsOf(rendition).flatMap(({ segment: { durationS, uri } }) => {
    const answer = uri === null ? undefined : sizes.get(uri);
    const isMeasured = answer !== undefined && answer.status === 200 && durationS !== null && durationS >= target / 2;
    return isMeasured && durationS <= 1.5 * target ? [(answer.byteLength * 8) / durationS] : [];
  });
  return Math.max(0, ...rates);
}

function bandwidth(
  { url, line, bandwidthBps, groups }: Variant,
  { multivariant, renditions }: StreamEvidence,
  report: Reporter,
): void {
  const measured = (address: string | null) => {
    const rendition = renditions.find((one) => one.url === address);
    return rendition === undefined ? 0 : peakBps(rendition);
  };
  const ofGroups = [...groups.values()].map((id) =>
    Math.max(0, ...multivariant!.renditions.filter(({ groupId }) => groupId === id).map((one) => measured(one.url))),
  );
  const peak = measured(url) + ofGroups.reduce((sum, one) => sum + one, 0);
  if (peak === 0 || bandwidthBps === null) return;
  if (peak <= bandwidthBps * TOLERANCE) report.seen();
  else report.fault(url, line, `${Math.round(peak)} bit/s measured`);
}

/** Whether a CODECS entry covers the media: same sample entry; for AVC also the same profile and at least the same level. */
function covers(announced: string, found: string): boolean {
  const [[entry, profile = ""], [otherEntry, otherProfile = ""]] = [announced, found].map((codec) =>
    codec.toLowerCase().split("."),
  ) as [string[], string[]];
  if (entry !== otherEntry || !entry!.startsWith("avc")) return entry === otherEntry;
  return profile.slice(0, 2) === otherProfile.slice(0, 2) && profile.slice(4) >= otherProfile.slice(4);
}

/** Compares each init segment of a variant and its audio with the variant's CODECS. */
function codecsAreTrue({ url, codecs, line, groups }: Variant, stream: StreamEvidence, report: Reporter): void {
  const sounds = stream.multivariant!.renditions.filter(({ groupId, type }) => groups.get(type) === groupId);
  const announced = (codecs ?? "").split(",").map((codec) => codec.trim());
  const isOfIt = (rendition: RenditionEvidence) =>
    rendition.url === url || sounds.some((sound) => sound.url === rendition.url);
  for (const rendition of stream.renditions.filter(isOfIt))
    for (const { init, url: initUrl } of rendition.media) {
      const missing = init?.tracks.find(({ codec }) => codec !== null && !announced.some((one) => covers(one, codec)));
      if (missing !== undefined) report.fault(initUrl, line, `${missing.codec} in the media`);
      else if (init?.tracks.some(({ codec }) => codec !== null) === true) report.seen();
    }
}

export const VARIANT_RULES: Rule[] = [
  must("bandwidth", "4.4.6.2", "BANDWIDTH is present, and no segment exceeds it", (stream, report) => {
    for (const variant of stream.multivariant?.variants ?? []) {
      if (variant.bandwidthBps === null) report.fault(variant.url, "BANDWIDTH", variant.line);
      else bandwidth(variant, stream, report);
    }
  }),
  must(
    "codecs",
    "4.4.6.2",
    "Each variant has CODECS",
    each(({ url, codecs, line }, _, report) => {
      if (codecs !== null && codecs !== "") report.seen();
      else report.fault(url, "CODECS", line);
    }),
  ),
  must("codecs-true", "6.2.4", "CODECS names every format in the media", each(codecsAreTrue)),
  must(
    "resolution",
    "4.4.6.2",
    "Each video variant has RESOLUTION",
    each(({ url, resolution, line }, { renditions }, report) => {
      const rendition = renditions.find((one) => one.url === url);
      if (rendition === undefined || trackOf(rendition)?.handler !== "vide") return;
      if (resolution !== null && /^\d+x\d+$/.test(resolution)) report.seen();
      else report.fault(url, "RESOLUTION", line);
    }),
  ),
  must(
    "groups",
    "4.4.6.2",
    "The groups that a variant refers to exist",
    each(({ url, groups, line }, { multivariant }, report) => {
      for (const [type, id] of groups) {
        const isThere = multivariant!.renditions.some((one) => one.type === type && one.groupId === id);
        if (isThere) report.seen();
        else report.fault(url, `EXT-X-MEDIA of TYPE=${type} in the group ${id}`, line);
      }
    }),
  ),
  must("renditions-answer", "4.4.6", "Every referenced media playlist answers", ({ renditions }, report) => {
    for (const { url, playlists } of renditions) {
      if (playlists[0]?.status === 200) report.seen();
      else report.fault(url, "200", `${playlists[0]?.status ?? "no answer"}`);
    }
  }),
];
