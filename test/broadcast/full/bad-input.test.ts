/** Refused broadcasters and unplayable broadcasts, each followed by a valid broadcast that must work. */
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { broadcastOf, FLV, H264, TS } from "../../support/live.ts";
import {
  eventually,
  type LiveStreamRecord,
  manifestOf,
  newLiveStream,
  streamOf,
  untilSegment,
} from "../../support/live-watch.ts";
import { startTestPlatform, type TestPlatform } from "../../support/platform.ts";

const SMALL = "-s 320x180";
const SLOWLY_MS = 20;

let platform: TestPlatform;
beforeAll(async () => {
  vi.stubEnv("GATEWAY_CAPACITY", "8"); // sessions of earlier tests may still be ending
  platform = await startTestPlatform({ withIngest: true, vars: { LIVE_WAIT_SCALE: "0.01" } });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await platform?.stop();
  await platform?.removeHome();
});

interface PushAnswer {
  status: number;
  error?: { code: number; description?: string; message: string };
}

/** Pushes a broadcast over HTTP. */
async function push(url: string, body: Buffer | AsyncIterable<Uint8Array>, method = "POST"): Promise<PushAnswer> {
  const response = await fetch(url, { method, body: body as BodyInit, duplex: "half" } as RequestInit);
  const { error } = (await response.json()) as { error?: PushAnswer["error"] };
  return { status: response.status, ...(error ? { error } : {}) };
}

const causeOf = (error: Error) => (error.cause instanceof Error ? error.cause.message : error.message);

/** Sends in pieces with pauses; `onPiece` gets the number of sent pieces. */
async function* slowly(bytes: Buffer, onPiece: (count: number) => void = () => {}): AsyncGenerator<Uint8Array> {
  const size = Math.ceil(bytes.length / 60);
  for (let at = 0; at < bytes.length; at += size) {
    yield bytes.subarray(at, at + size);
    onPiece(at / size + 1);
    await new Promise((done) => setTimeout(done, SLOWLY_MS));
  }
}

const logOf = (part: string) => readFile(join(platform.home, "logs", `${part}.log`), "utf8");

/** Sends in pieces, and then stays on air until `isDone` is true. */
async function* slowlyUntil(bytes: Buffer, isDone: () => boolean): AsyncGenerator<Uint8Array> {
  yield* slowly(bytes);
  await eventually("done", () => Promise.resolve(isDone() || null));
}

/** Checks that a valid broadcast on this stream can be played. */
async function expectGood(stream: LiveStreamRecord, words = `-i friday ${SMALL} ${FLV}`): Promise<string[]> {
  const bytes = await broadcastOf(words.replace("-i friday", "$IN"));
  let isSeen = false;
  const pushed = push(
    stream.ingest.http,
    slowlyUntil(bytes, () => isSeen),
  );
  await untilSegment(platform, stream);
  const lines = (await (await fetch(manifestOf(platform, stream))).text()).split("\n");
  isSeen = true;
  expect((await pushed).status).toBe(200);
  return lines;
}

describe("refused with a clear answer, and logged with the stream's id where there is one", () => {
  test.each([
    ["a key that is none", () => "not-a-key", 401],
    ["a key of no stream", () => `${"a".repeat(32)}k${"b".repeat(32)}`, 401],
    ["the key with another secret", (s: LiveStreamRecord) => `${"a".repeat(32)}k${s.streamId}`, 401],
  ])("%s", async (_, keyOf, status) => {
    const stream = await newLiveStream(platform);
    const bytes = await broadcastOf(`$IN ${SMALL} ${FLV}`);
    const answer = await push(`${platform.baseUrl}/ingest/${keyOf(stream)}`, bytes);
    expect(answer).toMatchObject({ status, error: { code: status } });
  });

  test("a disabled stream, which is accepted again when it is enabled; a deleted one never", async () => {
    const stream = await newLiveStream(platform);
    const bytes = await broadcastOf(`$IN ${SMALL} ${FLV}`);
    await platform.api("PUT", `/v1/live/streams/${stream.streamId}/live-disable`);
    expect(await push(stream.ingest.http, bytes)).toMatchObject({ status: 403 });
    await platform.api("PUT", `/v1/live/streams/${stream.streamId}/live-enable`);
    await expectGood(stream);
    await platform.api("DELETE", `/v1/live/streams/${stream.streamId}`);
    expect(await push(stream.ingest.http, bytes)).toMatchObject({ status: 401 });
    expect((await fetch(manifestOf(platform, stream))).status).toBe(404);
    expect(await logOf("worker")).toContain(`"event":"live.refused","streamId":"${stream.streamId}"`);
  });

  test("a client that keeps writing can still read the answer", async () => {
    const stream = await newLiveStream(platform);
    await platform.api("PUT", `/v1/live/streams/${stream.streamId}/live-disable`);
    const { hostname, port, pathname } = new URL(stream.ingest.http);
    const socket = connect(Number(port), hostname).pause();
    const write = (text: string) =>
      new Promise<void>((done, fail) => socket.write(text, (error) => (error ? fail(error) : done())));
    const piece = `2800\r\n${"x".repeat(0x2800)}\r\n`;
    await write(`POST ${pathname} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${piece}`);
    const refusal = `"event":"live.refused","streamId":"${stream.streamId}"`;
    await eventually("refused", async () => ((await logOf("worker")).includes(refusal) ? true : null));
    for (let count = 0; count < 20; count++) {
      await write(piece);
      await new Promise((done) => setTimeout(done, SLOWLY_MS));
    }
    const chunks: Buffer[] = [];
    for await (const chunk of socket.resume()) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1.1 403 [^]*the stream is disabled/);
  });

  test("a broadcaster that disconnects is logged as such, not as a failure of the Worker", async () => {
    const stream = await newLiveStream(platform);
    const bytes = await broadcastOf(`$IN ${SMALL} ${FLV}`);
    const { hostname, port, pathname } = new URL(stream.ingest.http);
    const socket = connect(Number(port), hostname);
    socket.write(`POST ${pathname} HTTP/1.1\r\nhost: x\r\ncontent-length: ${bytes.length * 2}\r\n\r\n`);
    for await (const piece of slowly(bytes)) socket.write(piece);
    socket.destroy();
    const ofStream = async () => (await logOf("worker")).split("\n").filter((line) => line.includes(stream.streamId));
    const over = await eventually(
      "the end of the push",
      async () => (await ofStream()).find((line) => line.includes('"event":"live.push_over"')) ?? null,
    );
    expect(JSON.parse(over)).toMatchObject({ reason: "broadcaster_disconnected" });
    expect(await logOf("worker")).not.toContain("no ingest gateway can be reached");
  });

  test("a second broadcaster, while the first one continues", async () => {
    const stream = await newLiveStream(platform);
    const bytes = await broadcastOf(`$IN ${SMALL} ${FLV}`);
    let second: Promise<PushAnswer> | undefined;
    const first = push(
      stream.ingest.http,
      slowly(bytes, (count) => {
        if (count > 20) second ??= push(stream.ingest.http, bytes);
      }),
    );
    expect((await first).status).toBe(200);
    expect(await second).toMatchObject({ status: 409, error: { message: "another broadcaster is on air" } });
    expect((await streamOf(platform, stream)).mediaIds).toHaveLength(1);
  });

  test("a client that has written its whole body before the refusal can reuse the connection", async () => {
    const stream = await newLiveStream(platform);
    const bytes = await broadcastOf(`$IN ${SMALL} ${FLV}`);
    let isDone = false;
    const first = push(
      stream.ingest.http,
      slowlyUntil(bytes, () => isDone),
    );
    await eventually("on air", async () => ((await streamOf(platform, stream)).status === "idle" ? null : true));
    const body = Buffer.concat([bytes, bytes, bytes]); // more than one read, and less than sockets hold
    const statuses: (number | string)[] = [];
    // fetch reuses the connection of an answered request for the next one.
    for (let count = 0; count < 20; count++)
      statuses.push(await push(stream.ingest.http, body).then(({ status }) => status, causeOf));
    isDone = true;
    expect(statuses).toEqual(Array.from({ length: 20 }, () => 409));
    expect((await first).status).toBe(200);
  });
});

describe("accepted, found undecodable, and disconnected", () => {
  test.each([
    ["another protocol", () => Promise.resolve(Buffer.from("GET / HTTP/1.1\r\n\r\n".repeat(4000))), 422],
    ["nothing at all", () => Promise.resolve(Buffer.alloc(0)), 422],
    ["a text file", () => readFile("test/fixtures/README.md"), 422],
    [
      "FLV whose tags are noise",
      async () =>
        Buffer.concat([(await broadcastOf(`$IN ${SMALL} ${FLV}`)).subarray(0, 13), Buffer.alloc(200_000, 0x5a)]),
      422,
    ],
  ])("%s", async (_, bytesOf, status) => {
    const stream = await newLiveStream(platform);
    expect((await push(stream.ingest.http, await bytesOf())).status).toBe(status);
    await eventually("idle again", async () => ((await streamOf(platform, stream)).status === "idle" ? true : null));
    await expectGood(stream);
    expect((await streamOf(platform, stream)).mediaIds).toHaveLength(1); // the bad broadcast leaves no media
  });
});

describe("unusual, and played", () => {
  test.each([
    ["sound alone", "$IN -vn -t 6 -c:a aac -f flv", /CODECS="mp4a/, /RESOLUTION/],
    ["a picture alone", `$IN ${SMALL} -an -t 6 ${H264} -f mpegts`, /RESOLUTION=320x180/, /TYPE=AUDIO/],
    ["MPEG-TS by PUT", `$IN ${SMALL} ${TS}`, /RESOLUTION=320x180/, /nothing/],
  ])("%s", async (_, words, has, hasNot) => {
    const stream = await newLiveStream(platform);
    const lines = (await expectGood(stream, words)).join("\n");
    expect(lines).toMatch(has);
    expect(lines).not.toMatch(hasNot);
  });
});

test("RTMP: garbage, silent connections and a hundred handshakes a second do not block a valid broadcaster", async () => {
  const stream = await newLiveStream(platform);
  const { port } = new URL(stream.ingest.rtmp.replace("rtmp:", "http:"));
  const sockets = Array.from({ length: 100 }, (_, index) => {
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("error", () => {});
    if (index % 3 === 0) socket.write(Buffer.concat([Buffer.from([3]), Buffer.alloc(1536, index)]));
    else if (index % 3 === 1) socket.write(Buffer.alloc(5000, 0xff));
    return socket;
  });
  await expectGood(stream);
  for (const socket of sockets) socket.destroy();
});

test("a stream that is not on air is answered with a retry that no cache stores", async () => {
  const stream = await newLiveStream(platform);
  for (const path of [manifestOf(platform, stream), manifestOf(platform, stream).replace(".m3u8", ".mpd")]) {
    const answer = await fetch(path);
    expect([answer.status, answer.headers.get("cache-control"), answer.headers.get("retry-after")]).toEqual([
      400,
      "no-store",
      "1",
    ]);
    expect(await answer.text()).toContain("ready");
  }
});
