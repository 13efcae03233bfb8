import { all, type Box, isSync, viewOf, whole, within } from "./boxes.ts";

export interface SampleFacts {
  /** Decode time in ticks of the media. */
  decodeTicks: number;
  durationTicks: number;
  isSync: boolean;
  /** Bytes from the start of the segment to the end of the sample, which must arrive before it is decoded. */
  bytesToEnd: number;
}

/** Defaults from the init segment for samples without explicit values. */
export interface SampleDefaults {
  durationTicks: number;
  flags: number;
}

/** The samples of a segment's first track, in decode order; none when it is not CMAF. */
export function readSamples(bytes: Uint8Array, defaults: SampleDefaults): SampleFacts[] {
  const view = viewOf(bytes);
  return all(view, whole(view), "moof").flatMap((moof) => {
    const traf = within(view, moof, "traf");
    return traf === undefined ? [] : readTraf(view, moof, traf, defaults);
  });
}

interface TrackDefaults extends SampleDefaults {
  sizeBytes: number;
}

function readTraf(view: DataView, moof: Box, traf: Box, defaults: SampleDefaults): SampleFacts[] {
  const [tfhd, tfdt] = ["tfhd", "tfdt"].map((type) => within(view, traf, type));
  if (tfhd === undefined || tfdt === undefined) return [];
  const ofTrack = readTfhd(view, tfhd, defaults);
  let decodeTicks =
    view.getUint8(tfdt.start) === 1 ? Number(view.getBigUint64(tfdt.start + 4)) : view.getUint32(tfdt.start + 4);
  const moofStart = moof.start - 8;
  const samples: SampleFacts[] = [];
  for (const trun of all(view, traf, "trun"))
    for (const { durationTicks, ...sample } of readRun(view, trun, moofStart, ofTrack)) {
      samples.push({ decodeTicks, durationTicks, ...sample });
      decodeTicks += durationTicks;
    }
  return samples;
}

function readTfhd(view: DataView, tfhd: Box, { durationTicks, flags }: SampleDefaults): TrackDefaults {
  const present = view.getUint32(tfhd.start) & 0xff_ffff;
  let at = tfhd.start + 8 + (present & 0x1 ? 8 : 0) + (present & 0x2 ? 4 : 0);
  const next = (bit: number, otherwise: number) => {
    if ((present & bit) === 0) return otherwise;
    at += 4;
    return view.getUint32(at - 4);
  };
  return { durationTicks: next(0x8, durationTicks), sizeBytes: next(0x10, 0), flags: next(0x20, flags) };
}

function* readRun(view: DataView, trun: Box, moofStart: number, track: TrackDefaults) {
  const present = view.getUint32(trun.start) & 0xff_ffff;
  const count = view.getUint32(trun.start + 4);
  let at = trun.start + 8;
  const next = (bit: number, otherwise: number) => {
    if ((present & bit) === 0) return otherwise;
    at += 4;
    return view.getUint32(at - 4);
  };
  let bytesToEnd = moofStart + (next(0x1, 0) | 0);
  const firstFlags = next(0x4, track.flags);
  for (let sample = 0; sample < count; sample += 1) {
    const durationTicks = next(0x100, track.durationTicks);
    bytesToEnd += next(0x200, track.sizeBytes);
    const flags = next(0x400, sample === 0 ? firstFlags : track.flags);
    next(0x800, 0);
    yield { durationTicks, isSync: isSync(flags), bytesToEnd };
  }
}
