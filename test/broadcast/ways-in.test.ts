/** Ingest paths that other tests do not cover, thumbnails and viewer counts. */
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { gatewayCredential } from "../../protocol/gateway-credential.ts";
import { broadcastOf, TS } from "../support/live.ts";
import { eventually, manifestOf, newLiveStream, untilSegment } from "../support/live-watch.ts";
import { freePort, sharedPlatform } from "../support/platform.ts";

const run = promisify(execFile);
const SOURCE =
  "-v error -re -f lavfi -i testsrc2=size=320x180:rate=15 -f lavfi -i sine -t 8 -c:v libx264 -preset ultrafast -g 15 -bf 0 -c:a aac -f mpegts";

test("SRT, with the API's address; a thumbnail of the live edge and the number of viewers meanwhile", async () => {
  const platform = await sharedPlatform({ withIngest: true });
  const stream = await newLiveStream(platform);
  const wrong = stream.ingest.srt.replace(/passphrase=.{8}/, "passphrase=00000000");
  await expect(run("ffmpeg", [...SOURCE.split(" "), wrong])).rejects.toThrow(/Command failed/);
  const sent = run("ffmpeg", [...SOURCE.split(" "), stream.ingest.srt]);
  await untilSegment(platform, stream);
  const thumbnail = await fetch(manifestOf(platform, stream).replace(".m3u8", "/thumbnail.jpg"));
  expect([thumbnail.status, thumbnail.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
  expect([...new Uint8Array(await thumbnail.arrayBuffer()).subarray(0, 2)]).toEqual([0xff, 0xd8]);
  const count = await eventually("a viewer", async () => {
    await untilSegment(platform, stream); // a viewer
    const { body } = await platform.api<{ views: number }>("GET", `/v1/live/streams/${stream.streamId}/viewer-count`);
    return body.data.views > 0 ? body.data.views : null;
  });
  expect(count).toBe(1);
  await sent;
});

test("an HTTP push skips a gateway that has crashed and whose registration is still valid", async () => {
  const platform = await sharedPlatform({ withIngest: true });
  const { baseUrl, settings } = platform;
  const other = fork("encoder/gateway/gateway.ts", [], {
    env: {
      ...process.env,
      WORKER_URL: baseUrl,
      GATEWAY_CREDENTIAL: gatewayCredential(settings.secrets.encoderSecret, "other", ["127.0.0.1"]),
      HTTP_PORT: String(await freePort()),
      RTMP_PORT: String(await freePort()),
      SRT_PORT: String(await freePort()),
    },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  try {
    await once(other, "message"); // it has registered
    other.kill("SIGKILL");
    const stream = await newLiveStream(platform);
    const bytes = await broadcastOf(`$IN -s 320x180 ${TS}`);
    expect((await fetch(stream.ingest.http, { method: "PUT", body: new Uint8Array(bytes) })).status).toBe(200);
    expect(await readFile(join(platform.home, "logs", "ingest.log"), "utf8")).toContain(stream.streamId);
  } finally {
    other.kill("SIGKILL");
  }
});

test("HTTP only, without a gateway: the encoder service accepts the broadcast", async () => {
  const platform = await sharedPlatform();
  const stream = await newLiveStream(platform);
  expect(Object.keys(stream.ingest)).toEqual(["http"]);
  const bytes = await broadcastOf(`$IN -s 320x180 ${TS}`);
  const pushed = fetch(stream.ingest.http, { method: "PUT", body: new Uint8Array(bytes) });
  await untilSegment(platform, stream);
  expect((await pushed).status).toBe(200);
});
