import type { InitFacts } from "../boxes.ts";
import type { Exchange } from "../http-client.ts";
import type { SampleFacts } from "../samples.ts";
import type { Mpd } from "./manifest.ts";

export type { Exchange, SampleFacts };

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

/** What a check has seen. Pure rules judge it. */
export interface DashEvidence {
  url: string;
  /** In the order of arrival. */
  manifests: ManifestAnswer[];
  /** By URL. */
  media: Map<string, MediaAnswer>;
  /** What the address of `UTCTiming` answered. */
  clock: (Exchange & { text: string }) | null;
}

export const readManifests = ({ manifests }: DashEvidence): ReadManifest[] =>
  manifests.filter((answer): answer is ReadManifest => answer.mpd !== null);
