/** Limits of broadcasts at the gateway, for all protocols. */
import { once } from "node:events";
import { IncomingMessage, ServerResponse } from "node:http";
import { type AddressInfo, createServer, Socket } from "node:net";
import { vi } from "vitest";
import { takePush } from "../../../encoder/gateway/reception/push.ts";
import { GatewayReception } from "../../../encoder/gateway/reception/reception.ts";
import { SimulcastPusher } from "../../../encoder/gateway/simulcast/pusher.ts";
import { SourceBuffer } from "../../../encoder/gateway/source/source-buffer.ts";
import { decide } from "../../../encoder/gateway/srt/decide.ts";
import { REJECT } from "../../../encoder/gateway/srt/handshake.ts";
import type { WorkerClient } from "../../../encoder/gateway/worker/worker-client.ts";
import { TAKEN, until, upTo } from "../../support/limits/trials.ts";
import { TestReception } from "../reception.ts";

const never = () => new Promise<never>(() => {});

/** Whether one more chunk is read with this many bytes queued for a decoder. */
async function waiting(bytes: number): Promise<string> {
  const line = new SourceBuffer();
  let pulled = 0;
  const filled = line.fill(
    (async function* () {
      for (const size of [bytes, 188]) {
        pulled += 1;
        yield Buffer.alloc(size, 1); // not a known container
      }
    })(),
  );
  await new Promise((done) => setImmediate(done));
  const verdict = pulled === 2 ? TAKEN : "waits";
  line.close();
  await filled;
  return verdict;
}

/** Whether this many bytes read by one decoder can be read again by another one. */
async function kept(bytes: number): Promise<string> {
  const line = new SourceBuffer();
  const filled = line.fill(
    (async function* () {
      yield Buffer.alloc(1, 1);
      for (let at = 1; at < bytes; at += 1 << 20) yield Buffer.alloc(Math.min(1 << 20, bytes - at), 1);
    })(),
  );
  for await (const piece of line.read()) void piece;
  await filled;
  return line.rewind(null) ? TAKEN : "forgotten";
}

async function undecided(count: number): Promise<string> {
  const worker = { authorize: never } as unknown as WorkerClient;
  const reception = new GatewayReception(worker, { gatewayId: "g", startedAt: 0, capacity: 1 });
  const admit = (n: number) => reception.admit({ protocol: "rtmp", streamKey: `k${n}`, remote: "192.0.2.1:1" });
  for (let n = 1; n < count; n++) void admit(n);
  const admission = await Promise.race([admit(count), new Promise<null>((done) => setImmediate(() => done(null)))]);
  await reception.close();
  return admission === null ? TAKEN : admission.accepted ? "accepted" : admission.reason;
}

/** A refused push whose body continues. */
async function refusedPush(ms: number): Promise<string> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const request = new IncomingMessage(new Socket());
    request.headers["x-stream-key"] = "key";
    const reception = new TestReception();
    reception.refused.set("key", "unknown_key");
    await takePush(request, new ServerResponse(request), reception);
    vi.advanceTimersByTime(ms);
    return request.destroyed ? "closed" : TAKEN;
  } finally {
    vi.useRealTimers();
  }
}

/** A target that accepts the connection and never answers the TLS handshake. */
async function dialled(ms: number): Promise<string> {
  const server = createServer(() => {}).listen(0, "127.0.0.1");
  await once(server, "listening");
  const connected = once(server, "connection");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    let verdict = TAKEN;
    const onState = (_: string, state: string, failure?: { reason: string }) =>
      void (verdict = state === "failed" ? failure!.reason : verdict);
    const pusher = new SimulcastPusher({}, { allowPrivateNetwork: true, onState });
    const { port } = server.address() as AddressInfo;
    pusher.retarget([{ simulcastId: "t", url: `rtmps://127.0.0.1:${port}/app`, streamKey: "k" }]);
    const [socket] = (await connected) as [Socket];
    vi.advanceTimersByTime(ms);
    for (let turn = 0; turn < 20; turn++) await new Promise((done) => setImmediate(done));
    const seen = verdict;
    await pusher.end();
    socket.destroy();
    return seen;
  } finally {
    vi.useRealTimers();
    server.close();
  }
}

export const INGEST_TRIALS = {
  "simulcast-dial": until(dialled),
  "source-line": upTo(waiting),
  "source-kept": upTo(kept),
  "undecided-admissions": upTo(undecided),
  "refused-push-gateway": until(refusedPush),
  "srt-stream-key": upTo(async (length) => {
    const reception = new TestReception();
    const handshake = { version: 5, streamId: "k".repeat(length), keyMaterial: Buffer.alloc(80) };
    const { rejection } = await decide(handshake as Parameters<typeof decide>[0], "192.0.2.1:1", reception);
    return rejection === REJECT.badRequest ? "refused" : TAKEN; // an unknown key is refused otherwise
  }),
};
