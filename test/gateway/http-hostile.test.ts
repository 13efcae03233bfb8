/** Tests the limits of unauthenticated clients on the HTTP ports of encoder and gateway; both use `boundedServer`. */
import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { SERVER_LIMITS, type ServerLimits } from "../../encoder/platform/bounded-server.ts";
import { PushService } from "../../encoder/gateway/reception/push-service.ts";
import { encoderServer } from "../../encoder/http.ts";
import { ImagePool } from "../../encoder/images/image-pool.ts";
import { JobQueue } from "../../encoder/jobs/job-queue.ts";
import { until } from "./until.ts";

const SECRET = "secret of the tests of HTTP limits";
const SOON: ServerLimits = { ...SERVER_LIMITS, headersMs: 200, checkEveryMs: 50 };
const PATIENT: ServerLimits = { ...SERVER_LIMITS, headersMs: 600_000 };

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function listen(limits: ServerLimits): Promise<number> {
  server = encoderServer(
    [SECRET],
    new JobQueue({ capacity: 1, queue: 1 }),
    new PushService(SECRET, 1),
    new ImagePool(),
    limits,
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

interface Peer {
  socket: Socket;
  closed: Promise<unknown>;
  heard(): string;
}
function open(port: number, ...lines: string[]): Peer {
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  let heard = "";
  socket.on("data", (bytes: Buffer) => (heard += bytes.toString("latin1")));
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(lines.join("\r\n"));
  return { socket, closed, heard: () => heard };
}
const AUTHORIZED = `Authorization: Bearer ${SECRET}`;
const health = (port: number) => open(port, "GET /health HTTP/1.1", "Host: x", AUTHORIZED, "", "");

describe("an unauthenticated client is disconnected", () => {
  test("when it sends nothing, half of the headers, or headers slowly", async () => {
    const port = await listen(SOON);
    const [silent, half, trickling] = [
      open(port),
      open(port, "GET /health HTTP/1.1", "Ho"),
      open(port, "GET / HTTP/1.1", ""),
    ];
    const trickle = setInterval(() => trickling.socket.write("X: y\r\n"), 20);
    await Promise.all([silent, half, trickling].map(({ closed }) => closed));
    clearInterval(trickle);
    expect(half.heard()).toMatch(/^HTTP\/1.1 408 /);
  });

  test("when the secret is wrong, before its body has arrived", async () => {
    const port = await listen(PATIENT);
    const wrong = open(port, "POST /jobs HTTP/1.1", "Host: x", "Content-Length: 1000000", "", "half");
    await wrong.closed;
    expect(wrong.heard()).toMatch(/^HTTP\/1.1 401 /);
  });
});

test("unauthenticated connections are limited per address: the oldest is closed, and an authenticated client is served", async () => {
  const port = await listen(PATIENT);
  const idle = Array.from({ length: SERVER_LIMITS.unprovenOfNetwork }, () => open(port));
  await until(() => idle.every(({ socket }) => !socket.connecting));
  const first = health(port);
  await until(() => first.heard().includes('"status":"ok"'));
  await idle[0]!.closed;
  expect(idle.filter(({ socket }) => socket.closed)).toHaveLength(1);
  // The authenticated connection is kept in any case.
  const more = Array.from({ length: 2 * SERVER_LIMITS.unprovenOfNetwork }, () => open(port));
  await Promise.all(idle.map(({ closed }) => closed));
  first.socket.write(["GET /health HTTP/1.1", "Host: x", AUTHORIZED, "", ""].join("\r\n"));
  await until(() => first.heard().split('"status":"ok"').length === 3);
  for (const { socket } of [first, ...more]) socket.destroy();
});

test("the total number of connections is limited", async () => {
  const port = await listen({ ...PATIENT, connections: 5 });
  const held = Array.from({ length: 5 }, () => open(port));
  await until(() => held.every(({ socket }) => !socket.connecting));
  await health(port).closed;
  held[0]!.socket.destroy();
  for (;;) {
    const again = health(port);
    await Promise.race([again.closed, until(() => again.heard() !== "")]);
    if (again.heard() !== "") break;
  }
  expect(held.filter(({ socket }) => socket.closed)).toHaveLength(1);
});

test("the body of an authenticated request may take longer than the header timeout", async () => {
  const port = await listen(SOON);
  const slow = open(port, "POST /jobs HTTP/1.1", "Host: x", AUTHORIZED, "Content-Length: 2", "", "{");
  const strangers = [];
  for (let round = 0; round < 3; round++) {
    strangers.push(open(port));
    await strangers.at(-1)!.closed; // each lasts as long as headers may
  }
  slow.socket.write("}");
  await until(() => slow.heard() !== "");
  expect(slow.heard()).toMatch(/^HTTP\/1.1 422 /);
});
