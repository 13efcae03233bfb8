import { writeFile, mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ContainerUnits, type Unit } from "../../encoder/gateway/source/container-units.ts";
import type { Listener } from "../../encoder/gateway/reception/incoming.ts";
import { openRtmpListener } from "../../encoder/gateway/rtmp/listener.ts";
import { SimulcastPusher } from "../../encoder/gateway/simulcast/pusher.ts";
import { PushSlots } from "../../encoder/gateway/simulcast/slots.ts";
import { childrenOf, commandOf } from "../support/processes.ts";
import { broadcastOf, chunksOf, FLV, H264 } from "../support/live.ts";
import { untrustedCertificate } from "../support/untrusted-certificate.ts";
import { ffmpeg, packetHashes } from "./broadcaster.ts";
import { TestReception } from "./reception.ts";
import { until } from "./until.ts";

let reception: TestReception;
let listener: Listener;
let states: Record<string, string[]>;
const open: SimulcastPusher[] = [];

beforeEach(async () => {
  reception = new TestReception();
  states = {};
  listener = await openRtmpListener({ host: "127.0.0.1", port: 0, protocol: "rtmp" }, reception);
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((pusher) => pusher.end()));
  await listener.close();
});

const urlOf = (port = listener.port) => `rtmp://127.0.0.1:${port}/live`;

/** Each target is named after its key. */
function pushTo(
  urls: Record<string, string>,
  options: { private?: boolean; timeoutMs?: number; queueBytes?: number; slots?: PushSlots } = {},
) {
  const targets = Object.entries(urls).map(([key, url]) => ({ simulcastId: key, url, streamKey: key }));
  const { private: allowPrivateNetwork = true, ...limits } = options;
  const pusher = new SimulcastPusher(
    { streamId: "s" },
    {
      allowPrivateNetwork,
      ...limits,
      onState: (id, state, failure) =>
        void (states[id] ??= []).push(failure === undefined ? state : `${state}: ${failure.reason}`),
    },
  );
  pusher.retarget(targets);
  open.push(pusher);
  return pusher;
}
const statesOf = (key: string) => states[key] ?? [];
const isTold = (key: string, state: string, times = 1) =>
  until(() => statesOf(key).filter((reported) => reported === state).length >= times);

async function unitsOf(bytes: Buffer): Promise<Unit[]> {
  const splitter = new ContainerUnits();
  const units: Unit[] = [];
  for await (const chunk of chunksOf(bytes)) units.push(...splitter.push(chunk));
  return [...units, ...splitter.rest()];
}

/** The reference: a stream copy to FLV by Debian's ffmpeg. */
async function asFlv(source: Buffer): Promise<Buffer> {
  const path = join(await mkdtemp(join(tmpdir(), "simulcast-")), "source");
  await writeFile(path, source);
  const copy = await broadcastOf(`-i ${path} -c copy -f flv`);
  await rm(dirname(path), { recursive: true });
  return copy;
}

/** A hash of each audio packet. */
async function soundOf(media: Buffer): Promise<string[]> {
  const { stdout } = await ffmpeg(["-i", "pipe:0", "-map", "0:a", "-c", "copy", "-f", "framehash", "-"], media).ran;
  return stdout.split("\n").flatMap((line) => /^\d.*, (\w+)/.exec(line)?.[1] ?? []);
}

/** The number of pictures that decode without an error. */
async function picturesOf(media: Buffer): Promise<number> {
  const { stdout, stderr } = await ffmpeg(["-i", "pipe:0", "-map", "0:v", "-f", "framehash", "-"], media).ran;
  expect(stderr).toBe("");
  return stdout.split("\n").filter((line) => /^\d/.test(line)).length;
}

test.each(["flv", "mpegts", "mp4 -movflags frag_keyframe+empty_moov+default_base_moof"])(
  "every packet of a source in %s reaches the target",
  async (format) => {
    const source = await broadcastOf(`$STRIP -t 2 ${H264} -c:a aac -f ${format}`);
    const pusher = pushTo({ whole: urlOf() });
    for (const unit of await unitsOf(source)) pusher.push(unit);
    await isTold("whole", "active");
    await pusher.end();
    const [received, expected] = [await reception.whole("whole"), await asFlv(source)];
    expect((await packetHashes(received))[0]).toBe((await packetHashes(expected))[0]);
    const sound = await soundOf(received);
    expect((await soundOf(expected)).slice(-sound.length)).toEqual(sound); // from the first picture on
    expect(sound.length).toBeGreaterThan(80);
    expect(statesOf("whole")).toEqual(["connecting", "active", "idle"]);
  },
);

test("HEVC is pushed by enhanced RTMP", async () => {
  const codec = "libx265 -preset ultrafast -x265-params log-level=none:pools=1:bframes=0";
  const source = await broadcastOf(`$IN -t 1 -s 320x240 -c:v ${codec} -g 15 -c:a aac -f mpegts`);
  const pusher = pushTo({ hevc: urlOf() });
  for (const unit of await unitsOf(source)) pusher.push(unit);
  await isTold("hevc", "active");
  await pusher.end();
  const received = await reception.whole("hevc");
  const frames = Buffer.from([0x93]); // a key frame of enhanced RTMP, without composition time
  expect(received.includes(Buffer.concat([frames, Buffer.from("hvc1")]))).toBe(true);
});

test("targets that refuse, hang, do not read or do not exist do not delay the others, and have distinct reasons", async () => {
  const silent = createServer((socket) => void socket.on("error", () => {})).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const nowhere = createServer().listen(0, "127.0.0.1");
  await once(nowhere, "listening");
  const nowhereUrl = urlOf((nowhere.address() as AddressInfo).port);
  nowhere.close();
  reception.refused.set("refused", "unknown_key");
  const pusher = pushTo(
    {
      good: urlOf(),
      refused: urlOf(),
      hanging: urlOf((silent.address() as AddressInfo).port),
      absent: nowhereUrl,
      deaf: urlOf(),
    },
    { timeoutMs: 1500, queueBytes: 32 << 20 },
  );
  const deaf = Promise.withResolvers<void>();
  reception.holds.set("deaf", deaf.promise);
  const bytes = await broadcastOf("$IN -t 7 -c:v libx264 -preset ultrafast -g 30 -qp 1 -c:a aac -f flv");
  expect(bytes.length).toBeGreaterThan(8 << 20); // more than socket buffers hold
  const units = await unitsOf(bytes);
  for (const unit of units) pusher.push(unit);
  await isTold("good", "active");
  await isTold("refused", "failed: refused");
  await isTold("absent", "failed: unreachable");
  await isTold("hanging", "failed: timeout");
  await isTold("deaf", "disconnected: timeout");
  await pusher.end();
  expect((await packetHashes(await reception.whole("good")))[0]).toBe((await packetHashes(bytes))[0]);
  expect(statesOf("good")).toEqual(["connecting", "active", "idle"]);
  expect(statesOf("refused")).toEqual(["connecting", "failed: refused", "idle"]);
  deaf.resolve();
  silent.close();
});

test("a target that restarts gets the broadcast again from a key frame on", async () => {
  const units = await unitsOf(await broadcastOf(`$STRIP ${FLV}`));
  const pusher = pushTo({ back: urlOf() });
  const half = Math.floor(units.length / 2) + 10; // a little behind a key frame
  for (const unit of units.slice(0, half)) pusher.push(unit);
  const first = await reception.begun("back");
  await until(() => first.chunks.length > 1);
  const { port } = listener;
  await listener.close();
  await isTold("back", "disconnected: lost");
  listener = await openRtmpListener({ host: "127.0.0.1", port, protocol: "rtmp" }, reception);
  await isTold("back", "connecting", 2);
  for (const unit of units.slice(half)) pusher.push(unit);
  await isTold("back", "active", 2);
  await pusher.end();
  await until(() => reception.broadcasts.length === 2 && reception.broadcasts[1]!.isOver);
  const received = await reception.whole("back");
  expect(await picturesOf(received)).toBe(60); // the last two of six groups of a second
  expect(statesOf("back")).toEqual(["connecting", "active", "disconnected: lost", "connecting", "active", "idle"]);
});

test("a target can be added and removed during a broadcast", async () => {
  const units = await unitsOf(await broadcastOf(`$STRIP ${FLV}`));
  const pusher = pushTo({ stays: urlOf() });
  const stays = { simulcastId: "stays", url: urlOf(), streamKey: "stays" };
  const half = Math.floor(units.length / 2) + 10; // a little behind a key frame
  for (const unit of units.slice(0, half)) pusher.push(unit);
  pusher.retarget([stays, { ...stays, simulcastId: "comes", streamKey: "comes" }]);
  for (const unit of units.slice(half)) pusher.push(unit);
  await isTold("comes", "active");
  await isTold("stays", "active");
  pusher.retarget([stays]);
  expect(await picturesOf(await reception.whole("comes"))).toBe(60);
  await isTold("comes", "idle");
  expect(statesOf("stays")).toEqual(["connecting", "active"]);
});

test("private addresses are refused at connection time, including those behind a name", async () => {
  const pusher = pushTo(
    { address: urlOf(), name: `rtmp://localhost:${listener.port}/live`, mapped: `rtmp://[::ffff:7f00:1]/live` },
    { private: false },
  );
  for (const unit of await unitsOf(await broadcastOf(`$STRIP ${FLV}`))) pusher.push(unit);
  for (const key of ["address", "name", "mapped"]) await isTold(key, "failed: forbidden_address");
  expect(reception.asked).toEqual([]);
});

test("RTMPS connects only to a server with a trusted certificate", async () => {
  const { key, cert } = untrustedCertificate();
  const folder = await mkdtemp(join(tmpdir(), "simulcast-"));
  await writeFile(join(folder, "ca.pem"), cert);
  const tls = { key: key.toString(), cert: cert.toString() };
  const secure = await openRtmpListener({ host: "127.0.0.1", port: 0, protocol: "rtmps", tls }, reception);
  try {
    const url = `rtmps://localhost:${secure.port}/live`;
    const untrusting = pushTo({ untrusted: url });
    process.env["NODE_EXTRA_CA_CERTS"] = join(folder, "ca.pem");
    const trusting = pushTo({ trusted: url });
    for (const unit of await unitsOf(await broadcastOf(`$STRIP ${FLV}`)))
      for (const pusher of [untrusting, trusting]) pusher.push(unit);
    await isTold("untrusted", "failed: unreachable");
    await isTold("trusted", "active");
    expect(statesOf("untrusted")).not.toContain("active");
  } finally {
    delete process.env["NODE_EXTRA_CA_CERTS"];
    await secure.close();
    await rm(folder, { recursive: true });
  }
});

test("a target without an application is reported as malformed and not retried, and the others get the broadcast", async () => {
  const source = await broadcastOf(`$STRIP -t 2 ${H264} -c:a aac -f flv`);
  const pusher = pushTo({ good: urlOf(), root: `rtmp://127.0.0.1:${listener.port}/`, none: "rtmp://127.0.0.1" });
  for (const unit of await unitsOf(source)) pusher.push(unit);
  await isTold("good", "active");
  await pusher.end();
  expect(await picturesOf(await reception.whole("good"))).toBeGreaterThan(0);
  for (const key of ["root", "none"]) expect(statesOf(key)).toEqual(["connecting", "failed: malformed_url", "idle"]);
});

test("sound that RTMP cannot carry is reported as unsupported and not retried", async () => {
  const pusher = pushTo({ opus: urlOf() });
  for (const unit of await unitsOf(await broadcastOf(`$STRIP -t 1 ${H264} -c:a libopus -f mpegts`))) pusher.push(unit);
  await isTold("opus", "failed: unsupported");
  await pusher.end();
  expect(statesOf("opus")).toEqual(["connecting", "failed: unsupported", "idle"]);
});

const pushProcesses = () => childrenOf(process.pid).filter((pid) => commandOf(pid).includes("simulcast/child.ts"));

test("unreachable targets start no process, regardless of their number and retries", async () => {
  const nowhere = createServer().listen(0, "127.0.0.1");
  await once(nowhere, "listening");
  const url = urlOf((nowhere.address() as AddressInfo).port);
  nowhere.close();
  const keys = Array.from({ length: 12 }, (_, i) => `dead-${i}`);
  const pusher = pushTo(Object.fromEntries(keys.map((key) => [key, url])));
  for (const unit of await unitsOf(await broadcastOf(`$STRIP ${FLV}`))) pusher.push(unit);
  let mostProcesses = pushProcesses().length;
  await until(() => {
    mostProcesses = Math.max(mostProcesses, pushProcesses().length);
    return keys.every((key) => statesOf(key).includes("failed: unreachable"));
  });
  expect(mostProcesses).toBe(0);
});

test("a gateway pushes to as many targets as it has slots; the others are overloaded and retried", async () => {
  const slots = new PushSlots(2);
  const urls = Object.fromEntries(["a", "b", "c", "d"].map((key) => [key, urlOf()]));
  const pusher = pushTo(urls, { slots });
  const units = await unitsOf(await broadcastOf(`$STRIP ${FLV}`));
  for (const unit of units) pusher.push(unit);
  const are = (state: string) => Object.keys(urls).filter((key) => statesOf(key).at(-1) === state);
  await until(() => are("active").length === 2 && are("failed: overloaded").length === 2);
  expect(pushProcesses()).toHaveLength(2);
  const [going, staying] = are("active");
  const left = Object.entries(urls).filter(([key]) => key !== going);
  pusher.retarget(left.map(([key, url]) => ({ simulcastId: key, url, streamKey: key })));
  let polls = 0;
  await until(() => {
    if (polls++ % 100 === 0) for (const unit of units) pusher.push(unit); // the broadcast continues
    return are("active").some((key) => key !== going && key !== staying);
  });
  expect(pushProcesses().length).toBeLessThanOrEqual(2);
});
