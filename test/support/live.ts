/** Broadcasts for tests: made by Debian's `ffmpeg` from the real clips, fed as bytes, and the encoder's output. */
import { type RunStart, SESSION_START } from "../../encoder/live/run-state.ts";
import { encodeBroadcast, type BroadcastEnd, type Ending } from "../../encoder/live/broadcast.ts";
import type {
  BroadcastPlan,
  DroppedRung,
  InitFacts,
  PartFacts,
  Pulse,
  RunOpening,
  StartedFacts,
} from "../../encoder/live/output.ts";
import type { IngestWarning } from "../../protocol/ingest-warning.ts";
import { args, FRIDAY } from "./ffmpeg-words.ts";
import { madeFile, madeStream } from "./made.ts";

const made = new Map<string, Promise<Buffer>>();

/**
 * @param words ffmpeg's arguments, with "$IN" for a clip of ten seconds, or "$STRIP" for 96 lines of it: a fifth of the pixels to encode, in
 *   two rungs as well; output options come last
 */
export function broadcastOf(words: string): Promise<Buffer> {
  const known = made.get(words) ?? makeBroadcast(words);
  made.set(words, known);
  return known;
}

async function makeBroadcast(words: string): Promise<Buffer> {
  const clips: Record<string, string> = { $IN: FRIDAY, $STRIP: await strip() };
  const inputOf = (word: string) => (clips[word] === undefined ? [word] : ["-stream_loop", "1", "-i", clips[word]]);
  return await madeStream(words.split(" ").flatMap(inputOf));
}

/** 640 pixels are wider than the lowest rung's box, so there are two rungs. */
const strip = () => madeFile(args`-i ${FRIDAY} -vf crop=640:96 -c:v libx264 -preset ultrafast -qp 8 -c:a copy`, "mp4");

export const H264 = "-c:v libx264 -preset ultrafast -g 30 -bf 0";
export const FLV = `-t 6 ${H264} -c:a aac -f flv`;
export const TS = `-t 6 ${H264} -c:a aac -f mpegts`;

export const PLAN: BroadcastPlan = {
  settings: { maxResolution: "1080p", partTargetMs: 500, segmentMs: 2000 },
  encodesTopRung: true, // sources that can be copied have tests of their own
  start: SESSION_START,
};

export interface Made {
  end: BroadcastEnd;
  started: StartedFacts[];
  openings: RunOpening[];
  inits: { rendition: string; version: number; bytes: Buffer; facts: InitFacts }[];
  parts: { facts: PartFacts; bytes: Buffer; atMs: number }[];
  dropped: DroppedRung[];
  thumbnails: { bytes: Buffer; capturedAtMs: number }[];
  thumbnailFailures: string[];
  pulses: Pulse[];
  /** Each list of warnings, as it was reported. */
  warnings: IngestWarning[][];
}

export async function* chunksOf(bytes: Buffer, chunkBytes = 7000): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

/** The answer of an origin that continues after a discontinuity. */
const discontinuous = ({ after }: RunOpening): RunStart =>
  after === null ? SESSION_START : { ...after, isDiscontinuous: true, initVersion: after.initVersion + 1, ticks: {} };

export function collector() {
  const made: Omit<Made, "end"> = {
    started: [],
    openings: [],
    inits: [],
    parts: [],
    dropped: [],
    thumbnails: [],
    thumbnailFailures: [],
    pulses: [],
    warnings: [],
  };
  const listener = {
    onStarted: (facts: StartedFacts) => void made.started.push(facts),
    onOpening: async (opening: RunOpening) => {
      made.openings.push(opening);
      return discontinuous(opening);
    },
    onInit: (rendition: string, version: number, bytes: Buffer, facts: InitFacts) =>
      void made.inits.push({ rendition, version, bytes, facts }),
    onPart: (facts: PartFacts, bytes: Buffer) => void made.parts.push({ facts, bytes, atMs: performance.now() }),
    onRungDropped: (dropped: DroppedRung) => void made.dropped.push(dropped),
    onThumbnail: (bytes: Buffer, capturedAtMs: number) => void made.thumbnails.push({ bytes, capturedAtMs }),
    onThumbnailFailed: (reason: string) => void made.thumbnailFailures.push(reason),
    onPulse: (pulse: Pulse) => void made.pulses.push(pulse),
    onWarnings: (warnings: IngestWarning[]) => void made.warnings.push(warnings),
  };
  return { made, listener };
}

export async function broadcast(
  bytes: Buffer | AsyncIterable<Uint8Array>,
  plan: Partial<BroadcastPlan> = {},
  ending: Ending = { isFinal: true },
): Promise<Made> {
  const { made, listener } = collector();
  const source = Buffer.isBuffer(bytes) ? chunksOf(bytes) : bytes;
  const neverTooSlow = { decide: () => null }; // on a busy machine too; dropped rungs have tests of their own
  const end = await encodeBroadcast(source, { ...PLAN, ...plan }, listener, neverTooSlow, ending);
  return { ...made, end };
}

export const partsOf = (made: Omit<Made, "end">, rendition: string) =>
  made.parts.filter(({ facts }) => facts.rendition === rendition);

/** The file that a player assembles: the init segment and every part of one version. */
export function fileOf(made: Omit<Made, "end">, rendition: string, version = 0): Buffer {
  const init = made.inits.find((one) => one.rendition === rendition && one.version === version)!;
  const parts = partsOf(made, rendition).filter(({ facts }) => facts.initVersion === version);
  return Buffer.concat([init.bytes, ...parts.map(({ bytes }) => bytes)]);
}

/** The top-level boxes of a part, in order. */
export function boxesOf(bytes: Buffer): { type: string; body: Buffer }[] {
  const boxes: { type: string; body: Buffer }[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at))
    boxes.push({
      type: bytes.toString("latin1", at + 4, at + 8),
      body: bytes.subarray(at + 8, at + bytes.readUInt32BE(at)),
    });
  return boxes;
}

/** Base decode time of a part's fragment, in ticks. */
export function decodeTicksOf(bytes: Buffer): number {
  const at = bytes.indexOf("tfdt", 0, "latin1");
  return Number(bytes.readBigUInt64BE(at + 8));
}
