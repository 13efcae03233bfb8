/** Tests that gateway and encoder refuse an environment that would expose secrets or media. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { afterEach, describe, expect, test } from "vitest";
import { gatewayCredential } from "../../protocol/gateway-credential.ts";
import type { Register } from "../../protocol/live.ts";

const SECRET = "encoder secret of this test: long enough";
const HOSTS = ["live-1.example.com", "127.0.0.1", "10.0.0.7"];
const GOOD = {
  WORKER_URL: "https://video.example.com",
  GATEWAY_CREDENTIAL: gatewayCredential(SECRET, "live-1", HOSTS),
};
const running: { kill: () => void }[] = [];

afterEach(() => {
  for (const { kill } of running.splice(0)) kill();
});

function start(script: string, environment: Record<string, string | undefined>) {
  const child = spawn(process.execPath, [script], {
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"], ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.push({ kill: () => child.kill("SIGKILL") });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += String(chunk)));
  const ended = once(child, "exit").then(([code]) => ({ code: code as number | null, output }));
  return { ended };
}

describe("a gateway", () => {
  test.each([
    ["HTTP_URL", "http://live-1.example.com:8791", "https"],
    ["HTTP_URL", "http://10.0.0.7:8791", "https"],
    ["WORKER_URL", "http://video.example.com", "https"],
    ["HTTP_URL", "https://live-2.example.com", "gateway:credential"],
    ["PUBLIC_HOST", "live-2.example.com", "gateway:credential"],
    ["GATEWAY_CREDENTIAL", undefined, "gateway:credential"],
    ["GATEWAY_CREDENTIAL", SECRET, "gateway:credential"],
  ])("does not start with %s %j, and logs the reason without a secret", async (name, value, words) => {
    const { code, output } = await start("encoder/gateway/gateway.ts", { ...GOOD, [name]: value }).ended;
    expect(code).toBe(2);
    expect(output).toContain(name);
    expect(output).toContain(words);
    expect(output).not.toContain(SECRET);
  });

  test("listens for pushes on the loopback interface only, and registers no push URL with a remote Worker", async () => {
    const ports = { RTMP_PORT: "", SRT_PORT: "", HTTP_PORT: "0" };
    const { registration, authorization } = await registeredWith({ ...GOOD, ...ports });
    expect(authorization).toBe(`Bearer ${GOOD.GATEWAY_CREDENTIAL}`);
    expect(registration.gatewayId).toBe("live-1");
    const { port } = new URL(registration.httpUrl!); // the Worker of this test is on this machine
    const outside = Object.values(networkInterfaces()).flatMap((addresses) =>
      (addresses ?? []).filter(({ internal, family }) => !internal && family === "IPv4"),
    );
    expect(await statusAt("127.0.0.1", port)).toBe(401);
    for (const { address } of outside) expect(await statusAt(address, port)).toBe("ECONNREFUSED");
    const elsewhere = await registeredWith({ ...GOOD, ...ports, HTTP_HOST: "0.0.0.0" });
    expect(elsewhere.registration.httpUrl).toBeNull();
  });
});

describe("an encoder", () => {
  test.each([[undefined], [""], ["a".repeat(31)], [`${SECRET},short`]])(
    "does not start with ENCODER_SECRET %j, and logs the reason",
    async (secret) => {
      const { code, output } = await start("encoder/server.ts", { PORT: "0", ENCODER_SECRET: secret }).ended;
      expect(code).toBe(2);
      expect(output).toContain("ENCODER_SECRET");
      expect(output).not.toContain(SECRET);
    },
  );
});

/** The registration that a gateway sends to a Worker on this machine. */
async function registeredWith(environment: Record<string, string>) {
  const worker = createServer();
  worker.listen(0, "127.0.0.1");
  await once(worker, "listening");
  running.push({ kill: () => worker.close().closeAllConnections() });
  const asked = once(worker, "request");
  start("encoder/gateway/gateway.ts", {
    ...environment,
    WORKER_URL: `http://127.0.0.1:${(worker.address() as AddressInfo).port}`,
  });
  const [incoming, response] = (await asked) as [IncomingMessage, ServerResponse];
  let body = "";
  for await (const chunk of incoming as AsyncIterable<Buffer>) body += String(chunk);
  response.end("{}");
  return { registration: JSON.parse(body) as Register, authorization: incoming.headers.authorization };
}

const statusAt = (host: string, port: string): Promise<number | string> =>
  new Promise((done) => {
    request({ host, port, path: "/health" }, (answer) => {
      answer.resume();
      done(answer.statusCode ?? 0);
    })
      .once("error", (error: NodeJS.ErrnoException) => done(error.code ?? ""))
      .end();
  });
