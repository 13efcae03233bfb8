import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { SessionClient } from "../../encoder/gateway/worker/session-client.ts";
import { WorkerClient } from "../../encoder/gateway/worker/worker-client.ts";

let server: Server | undefined;
afterEach(() => {
  vi.restoreAllMocks();
  server?.close();
});

/** A Worker that answers these statuses in turn, then 200. */
async function workerAnswering(...statuses: number[]): Promise<string> {
  server = createServer((request, response) => {
    request.resume().once("end", () => response.writeHead(statuses.shift() ?? 200).end("{}"));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function logged(): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(JSON.parse(line)));
  return lines;
}

test("consecutive failures of a session's requests are logged once, with the session's ids and without its token", async () => {
  const lines = logged();
  const callbackUrl = await workerAnswering(503, 429, 200, 503);
  const session = { streamId: "stream", sessionId: "session", callbackUrl, token: "secret-token" };
  const client = new SessionClient(session, () => {});

  await client.ended("broadcaster_left");
  await client.gap("v720", 3);

  const row = { level: "warn", event: "session.request_failed", streamId: "stream", sessionId: "session" };
  expect(lines).toMatchObject([
    { ...row, route: "POST ended", reason: "answered 503" },
    { ...row, route: "POST gap", reason: "answered 503" },
  ]);
  expect(JSON.stringify(lines)).not.toContain("secret-token");
});

test("consecutive failures of authorizations are logged once, with the gateway's id and without the stream key", async () => {
  const lines = logged();
  const client = new WorkerClient(await workerAnswering(503, 503), "credential");

  for (let attempt = 0; attempt < 3; attempt += 1)
    await client.passphrase({ gatewayId: "gateway", streamKey: "secret-key" });

  expect(lines).toMatchObject([
    { level: "warn", event: "gateway.request_failed", gatewayId: "gateway", route: "passphrase" },
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/secret-key|credential/);
});

test("an unreachable Worker is logged with the error of the connection", async () => {
  const lines = logged();
  const url = await workerAnswering();
  server!.close();
  await once(server!, "close");
  expect(await new WorkerClient(url, "credential").passphrase({ gatewayId: "gateway", streamKey: "key" })).toEqual({
    accepted: false,
    reason: "unavailable",
  });
  expect(lines).toMatchObject([{ event: "gateway.request_failed", reason: expect.stringContaining("ECONNREFUSED") }]);
});
