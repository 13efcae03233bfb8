/** Refusals of a gateway whose slots are all taken, with the real reception and encoder processes. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { GatewayReception } from "../../encoder/gateway/reception/reception.ts";
import type { WorkerClient } from "../../encoder/gateway/worker/worker-client.ts";
import type { AuthorizeAnswer } from "../../protocol/live.ts";

/** The Worker's side of every session: accepts all calls. */
const server: Server = createServer((request, response) => {
  request
    .resume()
    .on("end", () => response.end(JSON.stringify({ continue: true, reason: null, total: 0, targets: [] })));
});
beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterAll(() => server.close());

test("an exception in the gateway costs one broadcaster, is logged with its place, and leaves no slot taken", async () => {
  const lines: Record<string, unknown>[] = [];
  const spy = vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(JSON.parse(line)));
  onTestFinished(() => spy.mockRestore());
  const authorize = function throwsInside(): never {
    throw new TypeError("no session");
  };
  const worker = { authorize } as unknown as WorkerClient;
  const reception = new GatewayReception(worker, { gatewayId: "g", startedAt: 0, capacity: 1 });
  for (const protocol of ["rtmp", "srt", "http"] as const)
    expect(await reception.admit({ protocol, streamKey: "k", remote: "192.0.2.1:1" })).toEqual({
      accepted: false,
      reason: "unavailable",
    });
  expect(lines.filter(({ event }) => event === "reception.failed")).toEqual(
    ["rtmp", "srt", "http"].map((protocol) =>
      expect.objectContaining({
        level: "error",
        protocol,
        error: "TypeError: no session",
        stack: expect.stringContaining("throwsInside"),
      }),
    ),
  );
  expect(reception.broadcasts).toBe(0);
  await reception.close();
});

test("the Worker is told the network of a broadcaster, and not of a push, which it forwards itself", async () => {
  const asked: (string | undefined)[] = [];
  const refuse = async ({ network }: { network?: string }) => {
    asked.push(network);
    return { accepted: false, reason: "unknown_key" } as const;
  };
  const worker = { authorize: refuse, passphrase: refuse } as unknown as WorkerClient;
  const reception = new GatewayReception(worker, { gatewayId: "g", startedAt: 0, capacity: 1 });
  await reception.admit({ protocol: "rtmp", streamKey: "k", remote: "::ffff:192.0.2.1:1935" });
  await reception.admit({ protocol: "srt", streamKey: "k", remote: "2001:db8:5:6::7:50000" });
  await reception.passphraseOf("k", "192.0.2.1:50000");
  await reception.admit({ protocol: "http", streamKey: "k", remote: "192.0.2.1:1" });
  expect(asked).toEqual(["192.0.2.1", "2001:db8:5", "192.0.2.1", undefined]);
  await reception.close();
});

const accepted = (callback: Server): AuthorizeAnswer => ({
  accepted: true,
  streamId: "s",
  sessionId: crypto.randomUUID(),
  token: "t",
  callbackUrl: `http://127.0.0.1:${(callback.address() as AddressInfo).port}`,
  settings: { maxResolution: "1080p", latencyMode: "low", partTargetMs: 500, segmentMs: 2000, reconnect: false },
});

test("a full gateway refuses a key that is on air as busy and another key as overloaded, and admits again once the broadcaster has left", async () => {
  const worker = { authorize: () => Promise.resolve(accepted(server)) } as unknown as WorkerClient;
  const reception = new GatewayReception(worker, { gatewayId: "g", startedAt: 0, capacity: 1 });
  const admit = (streamKey: string) => reception.admit({ protocol: "rtmp", streamKey, remote: "192.0.2.1:1" });
  const silence = new PassThrough();
  const first = await admit("mine");
  if (!first.accepted) throw new Error(first.reason);
  const over = first.take(silence, () => {});

  expect(await admit("mine")).toEqual({ accepted: false, reason: "busy" });
  expect(await admit("another")).toEqual({ accepted: false, reason: "overloaded" });
  silence.end();
  await over;
  expect(await admit("mine")).toMatchObject({ accepted: true });
  await reception.close();
});

describe("a broadcaster that returns to a full gateway right after the end of its broadcast", () => {
  let endedIsAnswered: Promise<void>;
  const worker = createServer((request, response) => {
    const answered = request.url === "/ended" ? endedIsAnswered : Promise.resolve();
    void answered.then(() => response.end(JSON.stringify({ total: 0, targets: [], allowsPrivateNetwork: false })));
  });
  beforeAll(async () => {
    await once(worker.listen(0, "127.0.0.1"), "listening");
  });
  afterAll(() => worker.close());

  /** Whether the broadcast before is over when its broadcaster is admitted again. */
  async function admittedAgain(): Promise<boolean> {
    const authorize = () => Promise.resolve(accepted(worker));
    const client = { authorize } as unknown as WorkerClient;
    const reception = new GatewayReception(client, { gatewayId: "g", startedAt: 0, capacity: 1 });
    const admit = () => reception.admit({ protocol: "rtmp", streamKey: "mine", remote: "192.0.2.1:1" });
    const first = await admit();
    if (!first.accepted) throw new Error(first.reason);
    const silence = new PassThrough();
    let isOver = false;
    void first.take(silence, () => {}).then(() => (isOver = true));
    silence.end();
    await once(silence, "close");
    await new Promise((done) => setImmediate(done)); // its reader has ended
    const again = await admit();
    const wasOver = isOver;
    expect(again).toMatchObject({ accepted: true });
    return wasOver;
  }

  test("waits for the encoder of that broadcast", async () => {
    endedIsAnswered = Promise.resolve();
    expect(await admittedAgain()).toBe(true);
  });

  test("replaces that broadcast when its end takes longer than 2 s", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    endedIsAnswered = promise;
    expect(await admittedAgain()).toBe(false);
    resolve();
  });
});
