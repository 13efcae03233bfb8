/** Bounds of broadcasts at the gateway, whatever protocol brings them. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { IncomingMessage, ServerResponse } from "node:http";
import { type AddressInfo, createServer, Socket } from "node:net";
import { vi } from "vitest";
import { takePush } from "../../../encoder/gateway/push.ts";
import { GatewayReception } from "../../../encoder/gateway/reception.ts";
import { SimulcastPusher } from "../../../encoder/gateway/simulcast/pusher.ts";
import { SourceLine } from "../../../encoder/gateway/source-line.ts";
import { decide } from "../../../encoder/gateway/srt/door.ts";
import { REJECT } from "../../../encoder/gateway/srt/handshake.ts";
import { openSrtListener } from "../../../encoder/gateway/srt/listener.ts";
import type { WorkerClient } from "../../../encoder/gateway/worker-client.ts";
import { TAKEN, until, upTo } from "../../support/limits/trials.ts";
import { TestReception } from "../reception.ts";
import { until as untilTrue } from "../until.ts";

const never = () => new Promise<never>(() => {});

/** Whether one more chunk is read when so many bytes wait for a decoder. */
async function waiting(bytes: number): Promise<string> {
  const line = new SourceLine();
  let pulled = 0;
  const filled = line.fill(
    (async function* () {
      for (const size of [bytes, 188]) {
        pulled += 1;
        yield Buffer.alloc(size, 0x47);
      }
    })(),
  );
  await new Promise((done) => setImmediate(done));
  const verdict = pulled === 2 ? TAKEN : "waits";
  line.close();
  await filled;
  return verdict;
}

async function undecided(count: number): Promise<string> {
  const worker = { authorize: never } as unknown as WorkerClient;
  const reception = new GatewayReception(worker, { gatewayId: "g", startedAt: 0, capacity: 1 });
  const admit = (n: number) => reception.admit({ protocol: "rtmp", streamKey: `k${n}`, remote: "192.0.2.1:1" });
  for (let n = 1; n < count; n++) void admit(n);
  const admission = await Promise.race([admit(count), new Promise<null>((done) => setImmediate(() => done(null)))]);
  await reception.close("shutdown");
  return admission === null ? TAKEN : admission.accepted ? "accepted" : admission.reason;
}

/** A refused push whose body goes on. */
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

const words = (hex: string) => Buffer.from(hex.replaceAll(/\s/g, ""), "hex");
/** As libsrt 1.5 sends them; the second with a stream id and key material, so that the key is asked for. */
const INDUCTION = words(`80000000 00000000 00000119 00000000
  00000004 00000002 01357b95 000005dc 00002000 00000001 31e4eb15 00000000 0100007f 00000000 00000000 00000000`);
const CONCLUSION = words(`80000000 00000000 000041ea 00000000
  00000005 00000007 01357b95 000005dc 00002000 ffffffff 31e4eb15 deadbeef 0100007f 00000000 00000000 00000000
  00010003 00010501 000000bf 00780000 00030014 ${"00".repeat(80)} 00050001 0079656b`);
const REJECT_BASE = 1000; // of the reasons in a handshake's type
const [TYPE_AT, SOCKET_AT, COOKIE_AT] = [36, 40, 44];

/** Callers whose key is being asked about; what the last of them is answered. @param addresses they come from */
async function decisions(count: number, addresses: number): Promise<string> {
  const reception = new TestReception();
  let asked = 0;
  const gate = Promise.withResolvers<void>();
  reception.passphraseOf = async () => {
    asked += 1;
    await gate.promise;
    return { accepted: false, reason: "unknown_key" };
  };
  const listener = await openSrtListener({ host: "127.0.0.1", port: 0 }, reception);
  const sockets = Array.from({ length: addresses }, () => createSocket("udp4"));
  const heard: Buffer[] = [];
  let codes: number[];
  try {
    for (const [n, socket] of sockets.entries()) {
      socket.bind(0, `127.0.0.${2 + n}`);
      await once(socket, "listening");
      socket.send(INDUCTION, listener.port, "127.0.0.1");
      const [answer] = (await once(socket, "message")) as [Buffer];
      answer.copy(CONCLUSION, COOKIE_AT, COOKIE_AT, COOKIE_AT + 4);
      socket.on("message", (datagram) => void heard.push(datagram));
      for (let caller = n; caller < count; caller += addresses) {
        CONCLUSION.writeUInt32BE(1 + caller, SOCKET_AT);
        socket.send(Buffer.from(CONCLUSION), listener.port, "127.0.0.1");
      }
    }
    await untilTrue(() => asked + heard.length === count);
    codes = heard.map((datagram) => datagram.readUInt32BE(TYPE_AT));
  } finally {
    gate.resolve();
    await listener.close();
    for (const socket of sockets) socket.close();
  }
  return codes.length === 0
    ? TAKEN
    : codes.every((code) => code === REJECT_BASE + REJECT.overload)
      ? "refused"
      : String(codes);
}

/** A target that takes the connection and never answers the TLS handshake. */
async function dialled(ms: number): Promise<string> {
  const server = createServer(() => {}).listen(0, "127.0.0.1");
  await once(server, "listening");
  const connected = once(server, "connection");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    let verdict = TAKEN;
    const onState = (_: string, state: string, reason?: string) =>
      void (verdict = state === "failed" ? reason! : verdict);
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
  "undecided-admissions": upTo(undecided),
  "refused-push-gateway": until(refusedPush),
  "srt-stream-key": upTo(async (length) => {
    const reception = new TestReception();
    const handshake = { version: 5, streamId: "k".repeat(length), keyMaterial: Buffer.alloc(80) };
    const { rejection } = await decide(handshake as Parameters<typeof decide>[0], "192.0.2.1:1", reception);
    return rejection === REJECT.badRequest ? "refused" : TAKEN; // an unknown key is refused otherwise
  }),
  "srt-decisions-of-address": upTo((count) => decisions(count, 1)),
  "srt-decisions": upTo((count) => decisions(count, 16)),
};
