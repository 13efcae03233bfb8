import type { RenditionEvidence, StreamEvidence } from "../evidence.ts";
import type { Variant } from "../multivariant.ts";
import { must, type Rule, type Reporter } from "../rule.ts";
import { answersFor, trackOf } from "./media.ts";
import { segmentsOf } from "./parts.ts";

/** An encoder may go over what it was told by so much. */
const TOLERANCE = 1.1;

const each =
  (judge: (variant: Variant, stream: StreamEvidence, tell: Reporter) => void): Rule["judge"] =>
  (stream, tell) =>
    stream.multivariant?.variants.forEach((variant) => judge(variant, stream, tell));

/** Of the segments that were loaded and are 0.5 to 1.5 target durations long (§4.4.6.2). */
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
  tell: Reporter,
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
  if (peak <= bandwidthBps * TOLERANCE) tell.seen();
  else tell.fault(url, line, `${Math.round(peak)} bit/s measured`);
}

/** The same sample entry; for AVC the same profile, and a level that is not above. */
function tells(told: string, found: string): boolean {
  const [[entry, profile = ""], [otherEntry, otherProfile = ""]] = [told, found].map((codec) =>
    codec.toLowerCase().split("."),
  ) as [string[], string[]];
  if (entry !== otherEntry || !entry!.startsWith("avc")) return entry === otherEntry;
  return profile.slice(0, 2) === otherProfile.slice(0, 2) && profile.slice(4) >= otherProfile.slice(4);
}

/** Each init segment of a variant, and of its sound, against what the variant tells. */
function codecsAreTrue({ url, codecs, line, groups }: Variant, stream: StreamEvidence, tell: Reporter): void {
  const sounds = stream.multivariant!.renditions.filter(({ groupId, type }) => groups.get(type) === groupId);
  const told = (codecs ?? "").split(",").map((codec) => codec.trim());
  const isOfIt = (rendition: RenditionEvidence) =>
    rendition.url === url || sounds.some((sound) => sound.url === rendition.url);
  for (const rendition of stream.renditions.filter(isOfIt))
    for (const { init, url: initUrl } of rendition.media) {
      const missing = init?.tracks.find(({ codec }) => codec !== null && !told.some((one) => tells(one, codec)));
      if (missing !== undefined) tell.fault(initUrl, line, `${missing.codec} in the media`);
      else if (init?.tracks.some(({ codec }) => codec !== null) === true) tell.seen();
    }
}

export const VARIANT_RULES: Rule[] = [
  must("bandwidth", "4.4.6.2", "BANDWIDTH is there, and no segment needs more", (stream, tell) => {
    for (const variant of stream.multivariant?.variants ?? []) {
      if (variant.bandwidthBps === null) tell.fault(variant.url, "BANDWIDTH", variant.line);
      else bandwidth(variant, stream, tell);
    }
  }),
  must(
    "codecs",
    "4.4.6.2",
    "Each variant tells its CODECS",
    each(({ url, codecs, line }, _, tell) => {
      if (codecs !== null && codecs !== "") tell.seen();
      else tell.fault(url, "CODECS", line);
    }),
  ),
  must("codecs-true", "6.2.4", "CODECS names every format that is in the media", each(codecsAreTrue)),
  must(
    "resolution",
    "4.4.6.2",
    "Each variant with a picture tells its RESOLUTION",
    each(({ url, resolution, line }, { renditions }, tell) => {
      const rendition = renditions.find((one) => one.url === url);
      if (rendition === undefined || trackOf(rendition)?.handler !== "vide") return;
      if (resolution !== null && /^\d+x\d+$/.test(resolution)) tell.seen();
      else tell.fault(url, "RESOLUTION", line);
    }),
  ),
  must(
    "groups",
    "4.4.6.2",
    "The groups that a variant names are there",
    each(({ url, groups, line }, { multivariant }, tell) => {
      for (const [type, id] of groups) {
        const isThere = multivariant!.renditions.some((one) => one.type === type && one.groupId === id);
        if (isThere) tell.seen();
        else tell.fault(url, `EXT-X-MEDIA of TYPE=${type} in the group ${id}`, line);
      }
    }),
  ),
  must("renditions-answer", "4.4.6", "Every media playlist that is named answers", ({ renditions }, tell) => {
    for (const { url, playlists } of renditions) {
      if (playlists[0]?.status === 200) tell.seen();
      else tell.fault(url, "200", `${playlists[0]?.status ?? "no answer"}`);
    }
  }),
];
