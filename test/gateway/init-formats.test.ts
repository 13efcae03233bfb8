/** What a gateway says of an init segment, beside its bytes. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { SessionUpload } from "../../encoder/gateway/reception/session-upload.ts";
import { SessionClient } from "../../encoder/gateway/worker/session-client.ts";
import { FACTS } from "../support/live-facts.ts";

let server: Server | undefined;
afterEach(() => {
  server?.close();
});

test("an init segment is sent with the codec, the size and the frame rate of its media", async () => {
  const paths: (string | undefined)[] = [];
  server = createServer((request, response) => {
    paths.push(request.url);
    request.resume().once("end", () => response.writeHead(200).end("{}"));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const callbackUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ids = { streamId: "stream", sessionId: "session" };
  const upload = new SessionUpload(new SessionClient({ ...ids, callbackUrl, token: "token" }, () => {}), ids);
  upload.onStarted({ ...FACTS, frameRate: { num: 30, den: 1 } });
  const picture = { codec: "avc1.42c01e", widthPx: 854, heightPx: 480, timescale: 120_000 };
  await upload.onInit("v480", 3, Buffer.from("init"), { ...picture, frameRate: { num: 25, den: 2 } });
  const sound = { codec: "mp4a.40.2", widthPx: null, heightPx: null, timescale: 48_000, frameRate: null };
  await upload.onInit("a1", 3, Buffer.from("init"), sound);
  expect(paths).toEqual([
    "/started",
    "/init/v480/3?codec=avc1.42c01e&widthPx=854&heightPx=480&frameRate=12.5",
    "/init/a1/3?codec=mp4a.40.2",
  ]);
});
