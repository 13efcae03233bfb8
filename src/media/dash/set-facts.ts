/** Attributes of adaptation sets, common to on-demand and live MPDs (DASH-IF IOP 4.3 §3.2.4). */
import { SAMPLE_RATES_HZ } from "../mp4/aac.ts";
import { element } from "./xml.ts";

export const AUDIO_CHANNELS_SCHEME = "urn:mpeg:dash:23003:3:audio_channel_configuration:2011";

/** RFC 5646: audio without a known language. */
export const UNKNOWN_LANGUAGE = "und";

/** Purpose and roles of sound (roles of ISO/IEC 23009-1 §5.8.5.5). The schema requires every Accessibility before the first Role. */
export function soundRoles(isMain: boolean, isDescription: boolean): string[] {
  const roles = [isMain ? "main" : "alternate", ...(isDescription ? ["description"] : [])];
  return [
    // 1 = for the visually impaired (ETSI TS 102 822-3-1).
    ...(isDescription
      ? [element("Accessibility", { schemeIdUri: "urn:tva:metadata:cs:AudioPurposeCS:2007", value: "1" })]
      : []),
    ...roles.map((value) => element("Role", { schemeIdUri: "urn:mpeg:dash:role:2011", value })),
  ];
}

export interface FrameRate {
  num: number;
  den: number;
}

/** `@frameRate` as an integer or a fraction such as `30000/1001` (ISO/IEC 23009-1 §5.3.7.2); null when unknown. */
export function fractionText({ num, den }: FrameRate): string | null {
  if (num === 0) return null;
  return den === 1 ? String(num) : `${num}/${den}`;
}

/** `@par` of a set of renditions with square pixels: the aspect ratio of the largest one. */
export function pictureAspect(set: { widthPx: number | null; heightPx: number | null }[]): string | null {
  const [largest] = set.toSorted((a, b) => (b.widthPx ?? 0) - (a.widthPx ?? 0));
  const { widthPx, heightPx } = largest ?? { widthPx: null, heightPx: null };
  if (!widthPx || !heightPx) return null;
  const common = greatestDivisor(widthPx, heightPx);
  return `${widthPx / common}:${heightPx / common}`;
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));

/** Whether an audio timescale is the sampling rate. Passthrough files may use another timescale. */
export const isSampleRate = (timescale: number): boolean => SAMPLE_RATES_HZ.includes(timescale);
