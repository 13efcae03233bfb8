import { createSocket } from "node:dgram";
import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Listener } from "../../encoder/gateway/reception/incoming.ts";
import { openSrtListener } from "../../encoder/gateway/srt/listener.ts";
import { broadcastOf, H264 } from "../support/live.ts";
import { packetHashes, push } from "./broadcaster.ts";
import { TestReception } from "./reception.ts";
import { CONCLUSION_WITHOUT_COOKIE, HANDSHAKE_TYPE_AT, INDUCTION, openCaller } from "./srt-datagrams.ts";
import { until } from "./until.ts";

const PASSPHRASE = `${"0123456789abcdef".repeat(2)}k${"fedcba9876543210".repeat(2)}`; // as long as Sluice's are
const CONCLUSION = 0xffffffff;

let reception: TestReception;
let listener: Listener;

beforeEach(async () => {
  reception = new TestReception();
  reception.passphrases.set("key", PASSPHRASE);
  listener = await openSrtListener({ host: "127.0.0.1", port: 0 }, reception);
});
afterEach(() => listener.close());

const source = () => broadcastOf(`$STRIP -t 3 ${H264} -c:a aac -f mpegts`);
/** The latency, in µs, is what a machine that is busy with other tests may take for a datagram. */
const urlOf = (port: number, streamId: string, more = `&passphrase=${PASSPHRASE}`, latency = 500_000) =>
  `srt://127.0.0.1:${port}?streamid=${streamId}&pkt_size=1316&linger=2&latency=${latency}${more}`;

test("concurrent broadcasts on one port are received completely: every key length, each form of the stream ID, a long latency", async () => {
  const bytes = await source();
  const callers = [
    { key: "one", id: "one", more: "&pbkeylen=16", latency: 400_000 },
    { key: "two", id: "#!::m=publish,r=two", more: "&pbkeylen=24", latency: 500_000 },
    { key: "three", id: "#!::bmd_uuid=77,bmd_name=left,u=three", more: "&pbkeylen=32", latency: 1_500_000 },
  ];
  const ran = callers.map(({ key, id, more, latency }) => {
    const passphrase = `${key} of ${PASSPHRASE}`.replaceAll(" ", "-");
    reception.passphrases.set(key, passphrase);
    return push(bytes, "mpegts", urlOf(listener.port, id, `${more}&passphrase=${passphrase}`, latency), "-re").ran;
  });
  expect((await Promise.all(ran)).map(({ code, stderr }) => [code, stderr])).toEqual(callers.map(() => [0, ""]));
  const hashes = await packetHashes(bytes);
  for (const { key } of callers) expect(await packetHashes(await reception.whole(key))).toEqual(hashes);
  expect(reception.asked).toContainEqual({
    protocol: "srt",
    streamKey: "one",
    passphrase: `one-of-${PASSPHRASE}`,
    remote: expect.stringMatching(/^127\.0\.0\.1:\d+$/) as string,
  });
});

/** Relays between a caller and the listener and records the answers to conclusions. */
async function answersTo(streamId: string, more?: string): Promise<Set<number>> {
  const answers = new Set<number>();
  const [front, back] = [createSocket("udp4"), createSocket("udp4")];
  back.connect(listener.port, "127.0.0.1");
  front.bind(0, "127.0.0.1");
  await Promise.all([once(front, "listening"), once(back, "connect")]);
  front.on("message", (datagram, { port }) => {
    back.send(datagram);
    back.removeAllListeners("message").on("message", (answer) => {
      const isHandshake = answer.readUInt32BE(0) === 0x80000000;
      if (isHandshake && answer.readUInt32BE(HANDSHAKE_TYPE_AT) !== 1)
        answers.add(answer.readUInt32BE(HANDSHAKE_TYPE_AT));
      front.send(answer, port, "127.0.0.1");
    });
  });
  const url = urlOf(front.address().port, streamId, more);
  const { code } = await push((await source()).subarray(0, 100_000), "mpegts", url).ran;
  front.close();
  back.close();
  expect(code === 0).toBe(answers.has(CONCLUSION));
  return answers;
}

test("an unauthorized caller is refused in the handshake with a reason", async () => {
  reception.passphrases.set("busy", PASSPHRASE);
  reception.refused.set("busy", "busy");
  const codes = await Promise.all([
    answersTo("key"),
    answersTo("key", "&passphrase=not-this-one"),
    answersTo("key", ""),
    answersTo("nobody"),
    answersTo("busy"),
    answersTo("#!::r=key,m=request"),
    answersTo(""),
    answersTo("k".repeat(512)),
  ]);
  // libsrt's numbers: 10 bad secret, 11 unsecure, then as HTTP's.
  expect(codes.map((answers) => [...answers])).toEqual(
    [CONCLUSION, 1010, 1011, 2404, 2409, 2405, 2400, 2404].map((code) => [code]),
  );
  expect(reception.asked.map(({ streamKey }) => streamKey).toSorted()).toEqual(["busy", "key"]);
});

test("a broadcaster can be disconnected; a crashed one is detected after a few seconds", async () => {
  reception.passphrases.set("dying", PASSPHRASE);
  const bytes = await source();
  const hungUp = push(bytes, "mpegts", urlOf(listener.port, "key"), "-re", "-stream_loop", "-1");
  const dying = push(bytes, "mpegts", urlOf(listener.port, "dying"), "-re", "-stream_loop", "-1");
  const [first, second] = await Promise.all([reception.begun("key"), reception.begun("dying")]);
  await until(() => first.chunks.length > 0 && second.chunks.length > 0);
  first.hangUp("disabled");
  dying.process.kill("SIGKILL");
  expect((await hungUp.ran).code).not.toBe(0);
  await until(() => first.isOver && second.isOver);
  expect(second.chunks.length).toBeGreaterThan(0);
});

const caller = () => openCaller(listener.port);

test("a conclusion with a cookie of another address is ignored", async () => {
  const [{ socket, heard }, other] = [await caller(), await caller()];
  other.socket.send(INDUCTION);
  await until(() => other.heard.length === 1);
  const stolen = Buffer.from(CONCLUSION_WITHOUT_COOKIE);
  other.heard[0]!.copy(stolen, 44, 44, 48);
  for (const conclusion of [CONCLUSION_WITHOUT_COOKIE, stolen]) socket.send(conclusion);
  socket.send(INDUCTION);
  await until(() => heard.length > 0);
  expect(heard.map((answer) => answer.readUInt32BE(HANDSHAKE_TYPE_AT))).toEqual([1]); // the induction's, and nothing before it
  other.socket.send(stolen);
  await until(() => other.heard.length > 1);
  expect(other.heard[1]!.readUInt32BE(HANDSHAKE_TYPE_AT)).toBe(1011); // heard, and it does not encrypt
  socket.close();
  other.socket.close();
});

test("garbage does not affect a broadcast, even with a valid cookie", async () => {
  const { socket, heard } = await caller();
  socket.send(INDUCTION);
  await until(() => heard.length > 0);
  const conclusion = Buffer.from(CONCLUSION_WITHOUT_COOKIE);
  heard[0]!.copy(conclusion, 44, 44, 48);
  const bytes = await source();
  const good = push(bytes, "mpegts", urlOf(listener.port, "key"), "-re");
  let seed = 1;
  const random = () => (seed = (seed * 48271) % 0x7fffffff) % 256;
  const timer = setInterval(() => {
    for (let i = 0; i < 5; i++) {
      socket.send(Buffer.from(Array.from({ length: random() * 4 }, random)));
      socket.send(INDUCTION.subarray(0, random() % INDUCTION.length));
      const mangled = Buffer.from(conclusion);
      mangled.writeUInt32BE(seed, 40); // another socket
      mangled[64 + (random() % (mangled.length - 64))] = random(); // in the extensions
      socket.send(mangled);
    }
  }, 5);
  expect(await good.ran).toMatchObject({ code: 0, stderr: "" });
  clearInterval(timer);
  socket.close();
  expect(await packetHashes(await reception.whole("key"))).toEqual(await packetHashes(bytes));
  expect(reception.asked.length).toBe(1);
});
