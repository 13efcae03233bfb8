/** Tests a broadcast at the gateway and its encoders. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LiveBroadcast } from "../../../encoder/gateway/reception/live-broadcast.ts";
import { SourceBuffer } from "../../../encoder/gateway/source/source-buffer.ts";
import { startBroadcastChild } from "../../../encoder/live/broadcast-process.ts";
import { ProcessNotStarted } from "../../../encoder/platform/media-process.ts";
import { Heartbeat } from "../../../protocol/live.ts";
import { broadcastOf, chunksOf, FLV } from "../../support/live.ts";

/** The Worker's side of protocol/live.ts; accepts everything. */
let worker: Server;
const calls: string[] = [];
const heartbeats: Heartbeat[] = [];
beforeAll(async () => {
  worker = createServer((request, response) => {
    const path = request.url!.split("?")[0]!.slice(1);
    void buffer(request).then((body) => {
      calls.push(path);
      if (path === "heartbeat") heartbeats.push(Heartbeat.parse(JSON.parse(body.toString())));
      const answers: Record<string, object> = {
        heartbeat: { continue: true, reason: null },
        targets: { total: 0, targets: [], allowsPrivateNetwork: false },
        resume: { nextMsn: 0, discontinuity: true, initVersion: 0, seconds: 0 },
      };
      response.end(JSON.stringify(answers[path] ?? { verdict: "taken" }));
    });
  }).listen(0, "127.0.0.1");
  await once(worker, "listening");
});
afterAll(() => worker.close());

async function broadcast(refusals: number) {
  calls.length = 0;
  const line = new SourceBuffer();
  let starts = 0;
  const reasons: string[] = [];
  const { port } = worker.address() as AddressInfo;
  const session = {
    accepted: true as const,
    sessionId: crypto.randomUUID(),
    streamId: "stream",
    token: "token",
    callbackUrl: `http://127.0.0.1:${port}`,
    settings: {
      maxResolution: "480p" as const,
      latencyMode: "standard" as const,
      partTargetMs: 500,
      segmentMs: 2000,
      reconnect: false,
    },
    resume: null,
  };
  const onAir = new LiveBroadcast(
    line,
    session,
    (reason) => reasons.push(reason),
    () => {
      starts += 1;
      if (starts <= refusals) throw new ProcessNotStarted("The system refused to start a process.");
      return startBroadcastChild();
    },
  );
  void line.fill(chunksOf(await broadcastOf(`$STRIP -s 320x180 ${FLV}`)));
  await onAir.run();
  return { starts, reasons, isWhole: calls.some((path) => /^parts\/v\d+\/2\/0$/.test(path)) };
}

test("an encoder whose start fails once is started again, no media is lost, and heartbeats say that the broadcaster has gone", async () => {
  expect(await broadcast(1)).toEqual({ starts: 2, reasons: ["broadcaster_left"], isWhole: true });
  expect(calls.some((path) => /^parts\/v\d+\/0\/0$/.test(path))).toBe(true);
  expect(heartbeats.length).toBeGreaterThan(0); // the next start is after 2 s, and the whole source has arrived before
  expect(heartbeats.every(({ hasDisconnected }) => hasDisconnected)).toBe(true);
});
