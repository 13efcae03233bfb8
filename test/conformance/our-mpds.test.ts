import { describe, expect, test } from "vitest";
import { MPD_RULES } from "../../conformance/dash/check.ts";
import type { DashEvidence, MediaAnswer } from "../../conformance/dash/evidence.ts";
import { representationsOf } from "../../conformance/dash/manifest.ts";
import { readManifest } from "../../conformance/dash/read-manifest.ts";
import { OWN_SCHEMA } from "../../conformance/dash/schema.ts";
import { judge } from "../../conformance/rule.ts";
import { OUR_MPDS, type OurMpd } from "./our-mpds.ts";

const exchange = (url: string) => ({
  url,
  askedAtMs: 0,
  answeredAtMs: 0,
  status: 200,
  headers: { "content-type": "application/dash+xml", date: "Sun, 22 Nov 2026 12:00:00 GMT" },
});

/** @param followed the dynamic MPD that preceded the static one of an ended session */
function evidenceOf({ text, sizes }: OurMpd, followed: OurMpd | null = null): DashEvidence {
  const read = (one: OurMpd) => readManifest(exchange("http://sluice.test/P.mpd"), one.text, OWN_SCHEMA);
  const manifest = read({ text, sizes });
  const media = new Map<string, MediaAnswer>();
  for (const { representation } of manifest.mpd === null ? [] : representationsOf(manifest.mpd))
    for (const { number, startTicks, url } of representation.segments) {
      const byteLength = sizes[representation.id]?.[number];
      if (byteLength === undefined || byteLength === 0) continue;
      // The whole segment must have arrived when it starts to play, which is stricter than the standard's rule per sample.
      const sample = { decodeTicks: startTicks, durationTicks: 0, isSync: true, bytesToEnd: byteLength };
      media.set(url, { ...exchange(url), byteLength, init: null, samples: [sample] });
    }
  return {
    url: manifest.url,
    manifests: [...(followed === null ? [] : [read(followed)]), manifest],
    media,
    clock: null,
  };
}

const broken = (evidence: DashEvidence) =>
  judge(MPD_RULES, evidence).flatMap(({ id, faults }) => faults.map(({ lines }) => [id, ...lines]));

describe("Sluice's MPDs are valid under the schema and conform to the rules of ISO/IEC 23009-1 and DASH-IF", () => {
  test.each(Object.keys(OUR_MPDS))("%s", (kind) => {
    const followed = kind.startsWith("ended") ? OUR_MPDS["live, DVR"]!() : null;
    expect(broken(evidenceOf(OUR_MPDS[kind]!(), followed))).toEqual([]);
  });
});

test("every rule for single MPDs is applicable to Sluice's", () => {
  const seen = new Set(
    Object.values(OUR_MPDS).flatMap((make) =>
      judge(MPD_RULES, evidenceOf(make()))
        .filter(({ seen }) => seen > 0)
        .map(({ id }) => id),
    ),
  );
  expect(MPD_RULES.map(({ id }) => id).filter((id) => !seen.has(id))).toEqual([]);
});
