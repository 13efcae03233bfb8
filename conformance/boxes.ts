/** Parses the CMAF boxes (ISO/IEC 14496-12) that hold sample times and sync flags. */
export interface FragmentFacts {
  trackId: number;
  /** `tfdt`, in track ticks. */
  baseTicks: number;
  sampleCount: number;
  /** Samples with explicit values; the others have the track's default. */
  declaredTicks: number;
  untoldDurations: number;
  /** Null = the track's default. */
  firstFlags: number | null;
}

export interface Box {
  type: string;
  start: number;
  end: number;
}

const NON_SYNC = 0x0001_0000;
export const isSync = (flags: number): boolean => (flags & NON_SYNC) === 0;

export function* boxesIn(view: DataView, start: number, end: number): Generator<Box> {
  let at = start;
  while (at + 8 <= end) {
    const size = view.getUint32(at);
    const length = size === 1 ? Number(view.getBigUint64(at + 8)) : size === 0 ? end - at : size;
    if (length < 8 || at + length > end) return;
    const type = textAt(view, at + 4);
    yield { type, start: at + (size === 1 ? 16 : 8), end: at + length };
    at += length;
  }
}

/** Four characters, such as a box's type. */
export const textAt = (view: DataView, at: number): string =>
  String.fromCharCode(...[0, 1, 2, 3].map((offset) => view.getUint8(at + offset)));
export const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
export const all = (view: DataView, parent: Box, type: string) =>
  [...boxesIn(view, parent.start, parent.end)].filter((box) => box.type === type);
export const whole = (view: DataView): Box => ({ type: "", start: 0, end: view.byteLength });

export function within(view: DataView, parent: Box | undefined, ...path: string[]): Box | undefined {
  let box = parent;
  for (const type of path) box = box === undefined ? undefined : all(view, box, type)[0];
  return box;
}

/** The fragments of a part or a segment, in order; none when it is not CMAF. */
export function readFragments(bytes: Uint8Array): FragmentFacts[] {
  const view = viewOf(bytes);
  return all(view, whole(view), "moof").flatMap((moof) =>
    all(view, moof, "traf").flatMap((traf) => readTrack(view, traf)),
  );
}

function readTrack(view: DataView, traf: Box): FragmentFacts[] {
  const [tfhd, tfdt] = ["tfhd", "tfdt"].map((type) => within(view, traf, type));
  if (tfhd === undefined || tfdt === undefined) return [];
  const has = (flags: number, bit: number) => (flags & bit) !== 0;
  const flags = view.getUint32(tfhd.start) & 0xff_ffff;
  let at = tfhd.start + 8 + (has(flags, 1) ? 8 : 0) + (has(flags, 2) ? 4 : 0);
  const duration = has(flags, 8) ? view.getUint32(at) : null;
  at += (has(flags, 8) ? 4 : 0) + (has(flags, 16) ? 4 : 0);
  const fragmentFlags = has(flags, 32) ? view.getUint32(at) : null;
  const baseTicks =
    view.getUint8(tfdt.start) === 1 ? Number(view.getBigUint64(tfdt.start + 4)) : view.getUint32(tfdt.start + 4);
  const facts: FragmentFacts = {
    trackId: view.getUint32(tfhd.start + 4),
    baseTicks,
    sampleCount: 0,
    declaredTicks: 0,
    untoldDurations: 0,
    firstFlags: fragmentFlags,
  };
  for (const trun of all(view, traf, "trun")) readRun(view, trun, facts, duration);
  return [facts];
}

function readRun(view: DataView, trun: Box, facts: FragmentFacts, duration: number | null): void {
  const flags = view.getUint32(trun.start) & 0xff_ffff;
  const count = view.getUint32(trun.start + 4);
  let at = trun.start + 8 + ((flags & 0x1) === 0 ? 0 : 4);
  const isFirstRun = facts.sampleCount === 0;
  if ((flags & 0x4) !== 0) {
    if (isFirstRun) facts.firstFlags = view.getUint32(at);
    at += 4;
  }
  const [hasDuration, hasSize, hasFlags, hasOffset] = [0x100, 0x200, 0x400, 0x800].map((bit) => (flags & bit) !== 0);
  for (let sample = 0; sample < count; sample += 1) {
    if (hasDuration) facts.declaredTicks += view.getUint32(at);
    else if (duration === null) facts.untoldDurations += 1;
    else facts.declaredTicks += duration;
    at += (hasDuration ? 4 : 0) + (hasSize ? 4 : 0);
    if (hasFlags && sample === 0 && isFirstRun) facts.firstFlags = view.getUint32(at);
    at += (hasFlags ? 4 : 0) + (hasOffset ? 4 : 0);
  }
  facts.sampleCount += count;
}
