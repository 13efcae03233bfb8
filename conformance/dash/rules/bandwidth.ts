import { type DashEvidence, type MediaAnswer, readManifests } from "../evidence.ts";
import { type Representation, representationsOf, type Segment } from "../manifest.ts";
import { must, type Rule } from "../rule.ts";

interface Loaded {
  segment: Segment;
  answer: MediaAnswer;
}

const bandwidth: Rule["judge"] = (evidence, { seen, fault }) => {
  const answer = readManifests(evidence).at(-1);
  if (answer === undefined || answer.mpd.minBufferS === null) return;
  for (const { representation } of representationsOf(answer.mpd))
    for (const run of runsOf(evidence, representation)) {
      const neededBps = leastBandwidth(run, representation.timescale, answer.mpd.minBufferS);
      // Bits are whole.
      if (neededBps <= representation.bandwidthBps + 1) seen();
      else
        fault(
          run[0]!.segment.url,
          `bandwidth of ${representation.id} of at least ${Math.ceil(neededBps)} bit/s for ${answer.mpd.minBufferS} s of buffer`,
          `${representation.bandwidthBps} bit/s`,
        );
    }
};

/** Consecutive loaded segments, including those of older MPDs, because a bandwidth applies to the whole session. */
function runsOf({ media, manifests }: DashEvidence, { id }: Representation): Loaded[][] {
  const segments = new Map<number, Segment>();
  for (const { mpd } of manifests)
    for (const { representation } of mpd === null ? [] : representationsOf(mpd))
      if (representation.id === id)
        for (const segment of representation.segments) segments.set(segment.number, segment);
  const runs: Loaded[][] = [];
  for (const segment of [...segments.values()].toSorted((a, b) => a.number - b.number)) {
    const answer = media.get(segment.url);
    if (answer === undefined || answer.samples.length === 0) continue;
    const last = runs.at(-1);
    if (last?.at(-1)?.segment.number === segment.number - 1) last.push({ segment, answer });
    else runs.push([{ segment, answer }]);
  }
  return runs;
}

/**
 * The lowest rate at which a client that starts playback at any segment, `bufferS` after its first byte, receives every sample in time
 * (ISO/IEC 23009-1 §5.3.5.2).
 */
function leastBandwidth(run: Loaded[], timescale: number, bufferS: number): number {
  let neededBps = 0;
  for (let first = 0; first < run.length; first += 1) {
    const startTicks = run[first]!.answer.samples[0]!.decodeTicks;
    let before = 0;
    for (const { answer } of run.slice(first)) {
      for (const { decodeTicks, bytesToEnd } of answer.samples) {
        const waitS = bufferS + (decodeTicks - startTicks) / timescale;
        if (waitS > 0) neededBps = Math.max(neededBps, ((before + bytesToEnd) * 8) / waitS);
      }
      before += answer.byteLength;
    }
  }
  return neededBps;
}

export const BANDWIDTH_RULES: Rule[] = [
  must(
    "bandwidth",
    "ISO 5.3.5.2",
    "At its bandwidth, a Representation plays without stalls after minBufferTime",
    bandwidth,
  ),
];
