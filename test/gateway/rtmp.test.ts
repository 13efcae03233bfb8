import { connect } from "node:net";
import { Decoder, Demuxer } from "node-av/api";
import { AV_CODEC_ID_AV1, AV_CODEC_ID_HEVC } from "node-av/constants";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Listener } from "../../encoder/gateway/reception/incoming.ts";
import { openRtmpListener } from "../../encoder/gateway/rtmp/listener.ts";
import { broadcastOf, FLV } from "../support/live.ts";
import { untrustedCertificate } from "../support/untrusted-certificate.ts";
import { libavPush, packetHashes, push } from "./broadcaster.ts";
import { TestReception } from "./reception.ts";
import * as rtmp from "./rtmp-client.ts";
import { RtmpClient } from "./rtmp-client.ts";
import { until } from "./until.ts";

let reception: TestReception;
let listener: Listener;

beforeEach(async () => {
  reception = new TestReception();
  listener = await openRtmpListener({ host: "127.0.0.1", port: 0, protocol: "rtmp" }, reception);
});
afterEach(() => listener.close());

const source = () => broadcastOf(`$STRIP ${FLV}`);
const urlOf = (key: string, app = "live") => `rtmp://127.0.0.1:${listener.port}/${app}/${key}`;

test("every packet of a broadcast is received, and another key is refused meanwhile", async () => {
  reception.refused.set("wrong", "unknown_key");
  const bytes = await source();
  const [refused, taken] = await Promise.all([
    push(bytes, "flv", urlOf("wrong")).ran,
    push(bytes, "flv", urlOf("right")).ran,
  ]);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain("No stream has this key.");
  expect(taken.code).toBe(0);
  expect(await packetHashes(await reception.whole("right"))).toEqual(await packetHashes(bytes));
  expect(reception.broadcasts.length).toBe(1);
  expect(reception.asked).toContainEqual({
    protocol: "rtmp",
    streamKey: "right",
    remote: expect.stringMatching(/^127\.0\.0\.1:\d+$/) as string,
  });
});

test.each([
  "libx265 -x265-params log-level=none:pools=1:bframes=0 -preset ultrafast",
  "libsvtav1 -preset 12 -pix_fmt yuv420p",
])("enhanced RTMP: %s is received completely", async (codec) => {
  const bytes = await broadcastOf(`$IN -t 1 -s 320x240 -c:v ${codec} -g 15 -c:a aac -f matroska`);
  expect(await libavPush(bytes, "flv", urlOf("enhanced")).ran).toMatchObject({ code: 0 });
  const received = await reception.whole("enhanced");
  await using demuxer = await Demuxer.open(received, { format: "flv" });
  const fourcc = codec.startsWith("libx265") ? "hvc1" : "av01";
  expect(received.includes(fourcc)).toBe(true);
  expect(demuxer.video()?.codecpar.codecId).toBe(fourcc === "hvc1" ? AV_CODEC_ID_HEVC : AV_CODEC_ID_AV1);
  using decoder = await Decoder.create(demuxer.video()!);
  let pictures = 0;
  for await (using frame of decoder.frames(demuxer.packets(demuxer.video()!.index))) pictures += frame === null ? 0 : 1;
  expect(pictures).toBe(30);
});

test("a broadcast over TLS is received completely", async () => {
  const { key, cert } = untrustedCertificate();
  const tls = { key: key.toString(), cert: cert.toString() };
  const secure = await openRtmpListener({ host: "127.0.0.1", port: 0, protocol: "rtmps", tls }, reception);
  try {
    connect(secure.port, "127.0.0.1")
      .on("error", () => {})
      .write("no TLS at all\r\n\r\n");
    const bytes = await source();
    const { code } = await push(bytes, "flv", `rtmps://127.0.0.1:${secure.port}/live/safe`).ran;
    expect(code).toBe(0);
    expect(await packetHashes(await reception.whole("safe"))).toEqual(await packetHashes(bytes));
    expect(reception.asked[0]!.protocol).toBe("rtmps");
  } finally {
    await secure.close();
  }
});

test("media is withheld until admission, and then passed on completely", async () => {
  const gate = Promise.withResolvers<void>();
  reception.gate = gate.promise;
  const client = new RtmpClient(listener.port).send(rtmp.opening(listener.port, "early"), rtmp.picture(1000));
  await until(() => reception.asked.length === 1);
  expect(reception.broadcasts).toEqual([]);
  expect(client.heard).not.toContain("NetStream.Publish");
  gate.resolve();
  const broadcast = await reception.begun("early");
  await until(() => Buffer.concat(broadcast.chunks).length > 1000);
  expect(client.heard).toContain("NetStream.Publish.Start");
  client.socket.destroy();
  await until(() => broadcast.isOver);
});

test("back-pressure reaches the broadcaster when nothing is read", async () => {
  const hold = Promise.withResolvers<void>();
  reception.hold = hold.promise;
  const pictures = Array.from({ length: 800 }, () => rtmp.picture(60_000 - 5));
  const slow = new RtmpClient(listener.port).send(rtmp.opening(listener.port, "slow"), ...pictures);
  const held = await reception.begun("slow");
  reception.hold = null;
  const fast = new RtmpClient(listener.port).send(rtmp.opening(listener.port, "fast"), ...pictures);
  fast.socket.end();
  const whole = await reception.whole("fast");
  expect(slow.socket.writableLength).toBeGreaterThan(whole.length / 2); // what the other one had time to send, and it had not
  expect(held.chunks).toEqual([]);
  held.hold = null;
  hold.resolve();
  slow.socket.end();
  expect((await reception.whole("slow")).equals(whole)).toBe(true);
});

test("a broadcaster is disconnected with the reason", async () => {
  const client = new RtmpClient(listener.port).send(rtmp.opening(listener.port, "gone"), rtmp.picture(10));
  const broadcast = await reception.begun("gone");
  broadcast.hangUp("disabled");
  await client.closed;
  expect(client.heard).toMatch(/NetStream\.Publish\.Denied.*disabled/s);
  await until(() => broadcast.isOver);
});

test("a second publish on a connection is refused, and the first continues", async () => {
  const client = new RtmpClient(listener.port).send(rtmp.opening(listener.port, "first"), rtmp.publish("second"));
  const broadcast = await reception.begun("first");
  await until(() => client.heard.includes("NetStream.Publish.BadName"));
  client.send(rtmp.picture(5000));
  await until(() => Buffer.concat(broadcast.chunks).length > 5000);
  expect(reception.asked.map(({ streamKey }) => streamKey)).toEqual(["first"]);
  client.socket.destroy();
});

test("a broadcast ends with the publish, and its connection takes the next one while the first one's encoder still works", async () => {
  const client = new RtmpClient(listener.port).send(rtmp.opening(listener.port, "key"), rtmp.picture(1000));
  const first = await reception.begun("key");
  // In one write, as an encoder does that is restarted by its user.
  client.send(rtmp.picture(2000), rtmp.fcUnpublish("key"), rtmp.deleteStream(1));
  client.send(rtmp.CREATE_STREAM, rtmp.publish("next"), rtmp.picture(3000));
  const second = await reception.begun("next");
  await until(() => first.isOver && Buffer.concat(second.chunks).length > 3000);
  // The answers reach the client by a connection of their own, and may be later than the media at the reception.
  await until(() => client.heard.split("NetStream.Publish.Start").length > 2);
  expect(client.heard.split("NetStream.Publish.Start")).toHaveLength(3);
  expect(client.heard).toContain("onFCUnpublish");
  const sizes = [1000, 2000].map((bytes) => 11 + 5 + bytes + 4);
  expect(Buffer.concat(first.chunks)).toHaveLength(13 + sizes[0]! + sizes[1]!);
  first.hangUp("broadcaster_left"); // its encoder has finished
  client.send(rtmp.picture(4000));
  await until(() => Buffer.concat(second.chunks).length > 7000);
  client.socket.destroy();
  await until(() => second.isOver);
});

test("invalid bytes behind a publish end its broadcast, which does not keep its slot", async () => {
  const client = new RtmpClient(listener.port).send(rtmp.opening(listener.port, "key"), Buffer.alloc(200, 0xff));
  await client.closed;
  expect(await reception.whole("key")).toHaveLength(0);
});

test("an encoder that publishes again with another key is refused like one that connects", async () => {
  reception.refused.set("wrong", "unknown_key");
  const client = new RtmpClient(listener.port).send(rtmp.opening(listener.port, "right"), rtmp.picture(10));
  await reception.begun("right");
  client.send(rtmp.closeStream(), rtmp.publish("wrong"));
  await client.closed;
  expect(client.heard).toContain("No stream has this key.");
  expect(reception.asked.map(({ streamKey }) => streamKey)).toEqual(["right", "wrong"]);
});

test("a broken socket ends the broadcast", async () => {
  const client = new RtmpClient(listener.port).send(rtmp.opening(listener.port, "broken"), rtmp.picture(1000));
  const broadcast = await reception.begun("broken");
  await until(() => broadcast.chunks.length > 0);
  client.socket.resetAndDestroy();
  expect((await reception.whole("broken")).length).toBe(13 + 11 + 1005 + 4);
  expect(broadcast.isOver).toBe(true);
});

const NESTED = Buffer.concat([
  Buffer.of(2, 0, 7),
  Buffer.from("connect"),
  Buffer.from("0300016103".repeat(6000), "hex"),
]);
const BAD = {
  "another protocol": () => [Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n")],
  "no command behind the handshake": () => [rtmp.HANDSHAKE, Buffer.alloc(200_000, 0x5a)],
  "a chunk size of 0": () => [rtmp.HANDSHAKE, rtmp.setChunkSize(0)],
  "a chunk size of 2^31": () => [rtmp.HANDSHAKE, rtmp.setChunkSize(0x80000000)],
  "a command of 16 MB": () => [rtmp.HANDSHAKE, rtmp.chunk(20, Buffer.alloc(128), { length: 0xffffff })],
  "an array of 4,294,967,295": () => [
    rtmp.HANDSHAKE,
    rtmp.chunk(20, Buffer.from("020007636f6e6e6563740affffffff05", "hex")),
  ],
  "objects in objects": () => [rtmp.HANDSHAKE, rtmp.CHUNK_SIZE, rtmp.chunk(20, NESTED)],
  "a message within a message": () => [
    rtmp.HANDSHAKE,
    rtmp.chunk(20, Buffer.alloc(128), { length: 1000 }),
    rtmp.chunk(20, Buffer.alloc(10), { length: 10 }),
  ],
  "many messages at once": () => [
    rtmp.HANDSHAKE,
    ...Array.from({ length: 60 }, (_, i) => rtmp.chunk(20, Buffer.alloc(128), { length: 60_000, stream: 3 + i })),
  ],
  "no application": () => [rtmp.HANDSHAKE, rtmp.CHUNK_SIZE, rtmp.publish("key")],
  "another application": () => [rtmp.HANDSHAKE, rtmp.CHUNK_SIZE, rtmp.connectTo(listener.port, "vod")],
  playing: () => [rtmp.HANDSHAKE, rtmp.CHUNK_SIZE, rtmp.connectTo(listener.port), rtmp.play("key")],
  "a key of 513 characters": () => [rtmp.opening(listener.port, "k".repeat(513))],
  "no key": () => [rtmp.opening(listener.port, "?x=1")],
};

test("invalid input is refused without a request to the Worker, and a concurrent broadcast is complete", async () => {
  const bytes = await source();
  const good = push(bytes, "flv", urlOf("good"));
  await Promise.all(
    Object.values(BAD).map((make) => {
      const client = new RtmpClient(listener.port);
      return client.send(...make()).closed;
    }),
  );
  expect((await good.ran).code).toBe(0);
  expect(await packetHashes(await reception.whole("good"))).toEqual(await packetHashes(bytes));
  expect(reception.asked.map(({ streamKey }) => streamKey)).toEqual(["good"]);
});

test("a connection without a publish within 10 s is closed; 100 handshakes per second do not affect a broadcast", async () => {
  const bytes = await source();
  const silent = new RtmpClient(listener.port);
  const half = new RtmpClient(listener.port).send(rtmp.HANDSHAKE.subarray(0, 1000));
  const trickling = new RtmpClient(listener.port).send(rtmp.HANDSHAKE.subarray(0, 1000));
  const babbling = new RtmpClient(listener.port).send(
    rtmp.HANDSHAKE,
    rtmp.chunk(20, Buffer.from("0cffffffff41", "hex")),
  );
  const trickle = setInterval(() => trickling.send(Buffer.alloc(1)), 500);
  const crowd: RtmpClient[] = [];
  const flood = setInterval(() => crowd.push(new RtmpClient(listener.port).send(rtmp.HANDSHAKE)), 10);
  const good = push(bytes, "flv", urlOf("calm"), "-re");
  expect((await good.ran).code).toBe(0);
  expect(await packetHashes(await reception.whole("calm"))).toEqual(await packetHashes(bytes));
  await Promise.all([silent.closed, half.closed, trickling.closed, babbling.closed]);
  clearInterval(trickle);
  clearInterval(flood);
  expect(crowd.length).toBeGreaterThan(100);
  await Promise.all(crowd.slice(0, 50).map(({ closed }) => closed));
  for (const { socket } of crowd) socket.destroy();
});
