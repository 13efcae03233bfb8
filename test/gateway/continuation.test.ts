/** Tests that the next encoder continues a killed encoder's run frame by frame. */
import type { ChildProcess } from "node:child_process";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { Log } from "node-av/lib";
import { AV_LOG_QUIET } from "node-av/constants";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LiveBroadcast } from "../../encoder/gateway/reception/live-broadcast.ts";
import { SourceBuffer } from "../../encoder/gateway/source/source-buffer.ts";
import { startBroadcastChild } from "../../encoder/live/broadcast-process.ts";
import type { LiveRendition } from "../../protocol/live.ts";
import { broadcastOf } from "../support/live.ts";
import { decodePictures, decodeSound, loudness } from "../support/rendition.ts";
import { toneAt } from "../support/tones.ts";
import { until } from "./until.ts";

Log.setLevel(AV_LOG_QUIET);
const FRAME_RATE = 30;
const SECONDS = 11;
const KILLS = 4;
/** Detects a hang. Five encoders take turns, which takes 12 to 17 s with other work on two cores, and was seen to take more than 30 s. */
const ENCODING_TIMEOUT_MS = 90_000;
/** Killed encoders are the subject here, and a busy machine may be too slow for two renditions. */
const CHILD_PATH = fileURLToPath(new URL("./never-overloaded-child.ts", import.meta.url));
/** A sequence of grey levels, which reveals missing, repeated or reordered frames. */
const LEVELS = 50;
const COUNTING = `-f lavfi -i color=black:size=32x24:rate=${FRAME_RATE},geq=lum='20+4*mod(N\\,${LEVELS})':cb=128:cr=128,scale=640:480:flags=neighbor -f lavfi -i sine=r=48000 -t ${SECONDS} -pix_fmt yuv420p`;
/** Beside the tone of `COUNTING`, 440 Hz, one of another frequency. */
const TONES: Record<string, number> = { a1: 440, a2: 660 };
const LANGUAGES = `-filter_complex sine=f=${TONES["a2"]}:r=48000:d=${SECONDS}[de] -map 0:v -map 1:a -map [de] -metadata:s:a:0 language=eng -metadata:s:a:1 language=ger`;
const CODECS = "-c:v libx264 -preset ultrafast -bf 0 -c:a aac";

/** The Worker's side of a session; accepts everything. */
class Session {
  readonly parts: { rendition: string; msn: number; part: number; query: URLSearchParams; bytes: Buffer }[] = [];
  readonly inits: { rendition: string; version: number; bytes: Buffer }[] = [];
  renditions: LiveRendition[] = [];
  starts = 0;
  resumes = 0;

  async take({ method, url }: IncomingMessage, body: Buffer): Promise<object> {
    const { pathname, searchParams: query } = new URL(url!, "http://worker");
    const [what, rendition = "", msn, part] = pathname.split("/").slice(2);
    if (what === "started") {
      this.starts += 1;
      this.renditions = (JSON.parse(body.toString()) as { renditions: LiveRendition[] }).renditions;
    } else if (what === "init") this.inits.push({ rendition, version: Number(msn), bytes: body });
    else if (what === "parts") {
      this.parts.push({ rendition, msn: Number(msn), part: Number(part), query, bytes: body });
      return { verdict: "taken" };
    } else if (what === "resume") {
      this.resumes += 1;
      const last = this.parts.reduce((most, one) => Math.max(most, one.msn), -1);
      return { nextMsn: last + 1, discontinuity: true, initVersion: 1, seconds: 100, ticks: {} };
    } else if (what === "heartbeat") return { continue: true, reason: null };
    else if (method === "GET") return { total: 0, targets: [], allowsPrivateNetwork: false };
    return {};
  }

  fileOf(rendition: string, version = 0): Buffer {
    const init = this.inits.find((one) => one.rendition === rendition && one.version === version)!;
    const parts = this.parts.filter((one) => one.rendition === rendition && one.query.get("init") === `${version}`);
    return Buffer.concat([init.bytes, ...parts.map(({ bytes }) => bytes)]);
  }

  /** The numbers of its frames, which their luma encodes. A held last picture counts once. */
  async levels(rendition: string, version = 0): Promise<number[]> {
    const pictures = await decodePictures(this.fileOf(rendition, version));
    const levels = pictures.map(({ luma }) => Math.round((luma[luma.length >> 1]! - 20) / 4));
    while (levels.at(-1) === levels.at(-2)) levels.pop();
    return levels;
  }
}

const levelsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, frame) => (first + frame) % LEVELS);

const sessions = new Map<string, Session>();
let server: Server;
beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const session = sessions.get(request.url!.split("/")[1]!)!;
      void session.take(request, Buffer.concat(chunks)).then((answer) => response.end(JSON.stringify(answer)));
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
});
afterAll(() => server.close());

/** Bytes given to the encoder, and parts published. */
interface KillPoint {
  fedSeconds: number;
  madeSeconds: number;
}

/** After each fifth. Fragments are a second long, and parts wait for the picture behind them. */
const EVENLY: KillPoint[] = Array.from({ length: KILLS }, (_, kill) => {
  const fedSeconds = ((kill + 1) * SECONDS) / (KILLS + 1);
  return { fedSeconds, madeSeconds: fedSeconds - 3 };
});
/** A copied rung is encoded for its first two seconds, and the source is needed again from there. */
const EARLY: KillPoint[] = [
  { fedSeconds: 2, madeSeconds: 1.2 },
  { fedSeconds: 3.5, madeSeconds: 2.2 },
];
const BEHIND: KillPoint[] = [{ fedSeconds: 5, madeSeconds: 2.2 }];
const HALFWAY: KillPoint[] = [{ fedSeconds: SECONDS / 2, madeSeconds: SECONDS / 2 - 3 }];

/** Feeds a broadcast to a `LiveBroadcast`, and kills its encoder at these points. @param deadOnArrival encoders that exit before doing anything */
async function broadcastWithKills(
  source: Buffer,
  kills: KillPoint[],
  {
    deadOnArrival = 0,
    prepare = () => {},
  }: { deadOnArrival?: number; prepare?: (child: ChildProcess, number: number) => void } = {},
): Promise<Session> {
  const sessionId = crypto.randomUUID();
  const session = new Session();
  sessions.set(sessionId, session);
  const line = new SourceBuffer();
  const children: ChildProcess[] = [];
  const settings = {
    maxResolution: "1080p",
    latencyMode: "low",
    partTargetMs: 500,
    segmentMs: 2000,
    reconnect: false,
  } as const;
  const callbackUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${sessionId}`;
  const accepted = {
    accepted: true,
    sessionId,
    streamId: "s",
    token: "t",
    callbackUrl,
    settings,
  } as const;
  const newChild = () => {
    const child = startBroadcastChild(CHILD_PATH);
    children.push(child);
    prepare(child, children.length);
    if (children.length > 1 && children.length <= 1 + deadOnArrival) child.kill("SIGKILL");
    return child;
  };
  const over = new LiveBroadcast(line, accepted, () => {}, newChild).run();
  let parts = 0;
  async function* bytes() {
    let at = 0;
    for (const kill of kills) {
      const to = Math.floor((source.length * kill.fedSeconds) / SECONDS);
      for (; at < to; at += 4096) yield source.subarray(at, at + 4096);
      await until(() => madeSeconds(session) > kill.madeSeconds && session.parts.length > parts);
      parts = session.parts.length;
      const before = children.length;
      children.at(-1)!.kill("SIGKILL");
      await until(() => children.length > before + deadOnArrival);
    }
    for (; at < source.length; at += 4096) yield source.subarray(at, at + 4096);
  }
  void line.fill(bytes());
  await over;
  return session;
}

/** Removes all PATs and PMTs after the first ones. */
function withTablesOnce(source: Buffer): Buffer {
  const seen = new Set<number>();
  const packets = Array.from({ length: source.length / 188 }, (_, i) => source.subarray(i * 188, (i + 1) * 188));
  const isKept = (packet: Buffer) => {
    const pid = packet.readUInt16BE(1) & 0x1fff;
    const isTable = pid === 0 || pid === 0x1000;
    if (isTable && seen.has(pid)) return false;
    seen.add(pid);
    return true;
  };
  return Buffer.concat(packets.filter(isKept));
}

/** Time up to which every picture is published. */
function madeSeconds({ renditions, parts }: Session): number {
  const ends = renditions
    .filter(({ kind }) => kind === "video")
    .map(({ name, timescale }) => {
      const last = parts.findLast(({ rendition }) => rendition === name);
      return last === undefined ? 0 : (Number(last.query.get("at")) + Number(last.query.get("ticks"))) / timescale;
    });
  return ends.length === 0 ? 0 : Math.min(...ends);
}

const FRAGMENTS = "-movflags empty_moov+frag_keyframe";

/** In the default tier: a continuation in the middle of a run, and one right after its first copied picture. */
const isDefault = ([name]: [string, ...unknown[]]) =>
  name === "FLV, top rung copied" || name === "fragmented MP4, behind the first copied picture";

const KILLED: [string, "encoded" | "copied", typeof EVENLY, string][] = [
  ["FLV, all encoded", "encoded", EVENLY, `${CODECS} -g 30 -profile:v high444 -qp 0 -pix_fmt yuv444p -f flv`],
  ["FLV, top rung copied", "copied", EVENLY, `${CODECS} -g 60 -f flv`],
  ["MPEG-TS", "copied", EVENLY, `${CODECS} -g 60 -f mpegts`],
  ["MPEG-TS with two languages", "copied", EVENLY, `${LANGUAGES} ${CODECS} -g 60 -f mpegts`],
  ["MPEG-TS that sends its tables once", "copied", EVENLY, `${CODECS} -g 60 -f mpegts`],
  ["fragmented MP4", "copied", EVENLY, `${CODECS} -g 30 ${FRAGMENTS} -f mp4`],
  ["FLV, before and behind the first copied picture", "copied", EARLY, `${CODECS} -g 60 -f flv`],
  ["fragmented MP4, behind the first copied picture", "copied", BEHIND, `${CODECS} -g 60 ${FRAGMENTS} -f mp4`],
];
const timeout = ENCODING_TIMEOUT_MS;
test.each(KILLED.filter(isDefault))(
  "%s: killed encoders lose and repeat no frame in any rendition, without a discontinuity or a new init segment",
  { timeout },
  losesNothing,
);
test.each(KILLED.filter((one) => !isDefault(one)))(
  "%s: killed encoders lose and repeat no frame in any rendition, without a discontinuity or a new init segment",
  { timeout, tags: ["full"] },
  losesNothing,
);

async function losesNothing(name: string, topRung: string, kills: typeof EVENLY, words: string): Promise<void> {
  const source = await broadcastOf(`${COUNTING} ${words}`);
  const session = await broadcastWithKills(name.endsWith("once") ? withTablesOnce(source) : source, kills);
  expect([session.starts, session.resumes]).toEqual([1, 0]);
  expect(session.inits.map(({ version }) => version)).toEqual(session.renditions.map(() => 0));
  expect(session.renditions[0]!.codec.startsWith("avc1.64") ? "encoded" : "copied").toBe(topRung);
  for (const { name: rendition, kind } of session.renditions) {
    const parts = session.parts.filter((part) => part.rendition === rendition);
    let [msn, part, endTicks] = [0, 0, 0];
    for (const one of parts) {
      expect([one.msn, one.part, Number(one.query.get("at"))]).toEqual([msn, part, endTicks]);
      expect(one.query.get("discontinuity")).toBe("0");
      [msn, part] = one.query.get("last") === "1" ? [msn + 1, 0] : [msn, part + 1];
      endTicks += Number(one.query.get("ticks"));
    }
    if (kind === "audio") {
      const sound = await decodeSound(session.fileOf(rendition));
      expect(sound.largestHoleSeconds).toBeLessThan(0.001);
      expect(Math.abs(sound.samples.length / sound.sampleRateHz - madeSeconds(session))).toBeLessThan(0.03);
      const usual = loudness(sound, 1, SECONDS - 1);
      for (let at = 0.1; at < SECONDS - 0.1; at += 0.02)
        expect(Math.abs(loudness(sound, at, at + 0.02) / usual - 1)).toBeLessThan(0.15);
      for (let at = 0.1; at < SECONDS - 0.1; at += 0.1)
        expect(Math.abs(toneAt(sound, at) - TONES[rendition]!)).toBeLessThan(40);
      continue;
    }
    expect(await session.levels(rendition)).toEqual(levelsFrom(0, SECONDS * FRAME_RATE));
  }
}

test(
  "encoders that crash without a part are continued twice; the third starts a new run after a discontinuity",
  { timeout },
  async () => {
    const session = await broadcastWithKills(await broadcastOf(`${COUNTING} ${CODECS} -g 30 -f flv`), HALFWAY, {
      deadOnArrival: 2,
    });
    expect([session.starts, session.resumes]).toEqual([2, 1]);
    expect(new Set(session.inits.map(({ version }) => version))).toEqual(new Set([0, 1]));
    const first = session.parts.find(({ query }) => query.get("init") === "1");
    expect(first!.query.get("discontinuity")).toBe("1");
  },
);

/** The second encoder gets a run that it cannot continue; later ones may exit immediately. */
const notToBeContinued = (dead: number) => (child: ChildProcess, number: number) => {
  if (number > 2 && number <= 2 + dead) child.kill("SIGKILL");
  if (number !== 2) return;
  const send = child.send.bind(child) as (message: object, done: () => void) => boolean;
  child.send = ((message: { plan?: { continues: { run: { inits: string[][] } } } }, done: () => void) => {
    for (const init of message.plan?.continues.run.inits ?? []) init[1] = "0".repeat(64);
    return send(message, done);
  }) as ChildProcess["send"];
};

test.each([
  ["the next encoder", 0],
  ["the encoder after the next one, which crashes", 1],
])(
  "when an encoder cannot continue the run, its input goes to %s: no frame is lost, and less than a second repeats",
  { timeout },
  async (_, dead) => {
    const source = await broadcastOf(`${COUNTING} ${CODECS} -g 60 -f mpegts`);
    const session = await broadcastWithKills(source, HALFWAY, { prepare: notToBeContinued(dead) });
    expect([session.starts, session.resumes]).toEqual([2, 1]);
    for (const { name } of session.renditions.filter(({ kind }) => kind === "video")) {
      const [before, behind] = await Promise.all([0, 1].map((version) => session.levels(name, version)));
      expect(before).toEqual(levelsFrom(0, before!.length));
      const goesOnAt = SECONDS * FRAME_RATE - behind!.length;
      expect(behind).toEqual(levelsFrom(goesOnAt, behind!.length));
      // The next one starts at the end of the least published rendition.
      expect(before!.length - goesOnAt).toBeGreaterThanOrEqual(0);
      expect(before!.length - goesOnAt).toBeLessThan(FRAME_RATE);
    }
  },
);
