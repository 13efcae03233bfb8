import type { InitFacts } from "../boxes.ts";
import type { Mpd } from "./manifest.ts";

/** One HTTP exchange. Times are epoch ms on this machine's clock. */
export interface Exchange {
  url: string;
  askedAtMs: number;
  answeredAtMs: number;
  /** 0 = no answer came. */
  status: number;
  headers: Record<string, string>;
}

export interface ManifestAnswer extends Exchange {
  text: string;
  /** Null when the answer is not 200, or cannot be read. */
  mpd: Mpd | null;
  /** Why it cannot be read. */
  problem: string | null;
  /** What the schema finds wrong. */
  schemaErrors: string[];
}

export interface ReadManifest extends ManifestAnswer {
  mpd: Mpd;
}

export interface MediaAnswer extends Exchange {
  byteLength: number;
  init: InitFacts | null;
  /** Samples in decode order; empty for init segments and for what is not CMAF. */
  samples: SampleFacts[];
}

export interface SampleFacts {
  /** Decode time in ticks of the media. */
  decodeTicks: number;
  /** Null when the sample has the duration that the init segment gives. */
  durationTicks: number | null;
  /** Null when the fragment does not say. */
  isSync: boolean | null;
  /** From the first byte of the segment to the end of the sample: what has to have come before it is decoded. */
  bytesToEnd: number;
}

/** What a check has seen. Pure rules judge it. */
export interface DashEvidence {
  url: string;
  /** Each MPD that differs from the one before, in the order of arrival. */
  manifests: ManifestAnswer[];
  /** By URL. */
  media: Map<string, MediaAnswer>;
}

export const readManifests = ({ manifests }: DashEvidence): ReadManifest[] =>
  manifests.filter((answer): answer is ReadManifest => answer.mpd !== null);
