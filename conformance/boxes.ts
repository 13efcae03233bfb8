/** Parses the CMAF boxes (ISO/IEC 14496-12) that hold sample times and sync flags. */
export interface InitFacts {
  tracks: TrackFacts[];
}

export interface TrackFacts {
  id: number;
  timescale: number;
  handler: string;
  defaultDuration: number;
  defaultFlags: number;
  /** As in CODECS (RFC 6381): with profile and level for AVC, otherwise the four-character code of the sample entry. */
  codec: string | null;
}

export interface FragmentFacts {
  trackId: number;
  /** `tfdt`, in track ticks. */
  baseTicks: number;
  sampleCount: number;
  /** Of samples with explicit values; the others have the track's default. */
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

function* boxesIn(view: DataView, start: number, end: number): Generator<Box> {
  let at = start;
  while (at + 8 <= end) {
    const size = view.getUint32(at);
    const length = size === 1 ? Number(view.getBigUint64(at + 8)) : size === 0 ? end - at : size;
    if (length < 8 || at + length > end) return;
    const type = String.fromCharCode(...[4, 5, 6, 7].map((offset) => view.getUint8(at + offset)));
    yield { type, start: at + (size === 1 ? 16 : 8), end: at + length };
    at += length;
  }
}

export const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
export const all = (view: DataView, parent: Box, type: string) =>
  [...boxesIn(view, parent.start, parent.end)].filter((box) => box.type === type);
export const whole = (view: DataView): Box => ({ type: "", start: 0, end: view.byteLength });

export function within(view: DataView, parent: Box | undefined, ...path: string[]): Box | undefined {
  let box = parent;
  for (const type of path) box = box === undefined ? undefined : all(view, box, type)[0];
  return box;
}

/** @returns null when the bytes are not an init segment */
export function readInit(bytes: Uint8Array): InitFacts | null {
  const view = viewOf(bytes);
  const moov = within(view, whole(view), "moov");
  if (moov === undefined) return null;
  const extensions = within(view, moov, "mvex");
  const defaults = extensions === undefined ? [] : all(view, extensions, "trex");
  const tracks = all(view, moov, "trak").flatMap((trak) => {
    const [tkhd, mdhd, hdlr] = [["tkhd"], ["mdia", "mdhd"], ["mdia", "hdlr"]].map((path) =>
      within(view, trak, ...path),
    );
    if (tkhd === undefined || mdhd === undefined || hdlr === undefined) return [];
    const id = view.getUint32(tkhd.start + (view.getUint8(tkhd.start) === 1 ? 20 : 12));
    const timescale = view.getUint32(mdhd.start + (view.getUint8(mdhd.start) === 1 ? 20 : 12));
    const handler = String.fromCharCode(...[8, 9, 10, 11].map((offset) => view.getUint8(hdlr.start + offset)));
    const trex = defaults.find((box) => view.getUint32(box.start + 4) === id);
    const [defaultDuration, defaultFlags] = [12, 20].map((offset) =>
      trex === undefined ? 0 : view.getUint32(trex.start + offset),
    );
    const codec = codecOf(view, within(view, trak, "mdia", "minf", "stbl", "stsd"));
    return [{ id, timescale, handler, defaultDuration: defaultDuration!, defaultFlags: defaultFlags!, codec }];
  });
  return { tracks };
}

const VISUAL_ENTRY_BYTES = 78;

/** The codec of the first sample entry; AVC's profile and level are in its `avcC` (ISO/IEC 14496-15). */
function codecOf(view: DataView, stsd: Box | undefined): string | null {
  const [entry] = stsd === undefined ? [] : [...boxesIn(view, stsd.start + 8, stsd.end)];
  if (entry === undefined) return null;
  const avcC = [...boxesIn(view, entry.start + VISUAL_ENTRY_BYTES, entry.end)].find(({ type }) => type === "avcC");
  if (!entry.type.startsWith("avc") || avcC === undefined) return entry.type;
  const hex = (offset: number) =>
    view
      .getUint8(avcC.start + offset)
      .toString(16)
      .padStart(2, "0");
  return `${entry.type}.${hex(1)}${hex(2)}${hex(3)}`;
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
