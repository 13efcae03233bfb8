import type { InitFacts } from "../init-segment.ts";
import type { Exchange } from "../http-client.ts";
import type { SampleFacts } from "../samples.ts";
import type { Mpd } from "./manifest.ts";

export type { Exchange, SampleFacts };

export interface ManifestAnswer extends Exchange {
  text: string;
  /** Null when the response is not 200, or cannot be parsed. */
  mpd: Mpd | null;
  /** Why it cannot be parsed. */
  problem: string | null;
  /** Violations of the schema. */
  schemaErrors: string[];
}

export interface ReadManifest extends ManifestAnswer {
  mpd: Mpd;
}

export interface MediaAnswer extends Exchange {
  byteLength: number;
  init: InitFacts | null;
  /** Samples in decode order, with times in ticks of the MPD; empty for init segments and anything but CMAF. */
  samples: SampleFacts[];
}

/** The evidence that a check has collected, for pure rules to judge. */
export interface DashEvidence {
  url: string;
  /** In the order of arrival. */
  manifests: ManifestAnswer[];
  /** By URL. */
  media: Map<string, MediaAnswer>;
  /** Responses of the URL of `UTCTiming`. */
  clock: (Exchange & { text: string }) | null;
}

export const readManifests = ({ manifests }: DashEvidence): ReadManifest[] =>
  manifests.filter((answer): answer is ReadManifest => answer.mpd !== null);
