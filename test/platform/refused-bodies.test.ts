/** Requests that are refused while their body is still being sent: the caller can read the answer, however long the body is. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { gatewayCredential } from "../../protocol/gateway-credential.ts";
import { GRANT_MS, signJobGrant } from "../../src/library/encoding/job-token.ts";
import { newLiveStream } from "../support/live-watch.ts";
import { freePort, startTestPlatform, type TestPlatform } from "../support/platform.ts";

const TRIES = 20;
const MB = 1_000_000;

let platform: TestPlatform;
let jobSecret: string;
let encoderSecret: string;

beforeAll(async () => {
  // The platform is ready once its encoder is healthy; afterwards nothing listens there.
  const encoder = createServer((_, response) => response.end("{}")).listen(0, "127.0.0.1");
  await once(encoder, "listening");
  const { port } = encoder.address() as AddressInfo;
  platform = await startTestPlatform({ vars: { ENCODER_URL: `http://127.0.0.1:${port}` } });
  encoder.close();
  encoder.closeAllConnections();
  const secrets = JSON.parse(await readFile(join(platform.home, "secrets.json"), "utf8")) as Record<string, string>;
  jobSecret = secrets.jobSecret!;
  encoderSecret = secrets.encoderSecret!;
});
afterAll(async () => {
  await platform?.stop();
  await platform?.removeHome();
});

type Outcome = number | string;

/** Its machine has handed out no job. */
const assetId = randomUUID();

/** The statuses of consecutive requests on the client's own connections; for a failed request, its error. */
async function outcomes(send: () => Promise<Response>): Promise<Outcome[]> {
  const all: Outcome[] = [];
  for (let count = 0; count < TRIES; count++) all.push(await outcome(send()));
  return all;
}
async function outcome(response: Promise<Response>): Promise<Outcome> {
  try {
    const { status, body } = await response;
    for await (const _ of body ?? []);
    return status;
  } catch (error) {
    const { cause } = error as Error;
    return String(cause ?? error);
  }
}
const each = (status: number) => Array.from({ length: TRIES }, () => status);

/** Without a length: in chunks. */
async function* inPieces(bytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes; at += 64 << 10) yield Buffer.alloc(Math.min(64 << 10, bytes - at), "a");
}

describe.each([4 * MB, 10 * MB, 20 * MB])("a refused PUT of an object of %i bytes is answered", (bytes) => {
  const body = Buffer.alloc(bytes, "a");
  const put = (jobId: string, token: string) =>
    fetch(`${platform.baseUrl}/internal/jobs/${jobId}/objects/v270/0.m4s`, {
      method: "PUT",
      headers: { authorization: `Bearer ${token}` },
      body,
    });

  test("410 when the attempt is over", async () => {
    const jobId = `${assetId}.v0`;
    const token = await signJobGrant(jobSecret, {
      jobId,
      assetId,
      attempt: 1,
      renditions: ["v270"],
      segments: [0, 10],
      expiresAt: Date.now() + GRANT_MS,
    });
    expect(await outcomes(() => put(jobId, token))).toEqual(each(410));
  });

  test("401 when the token is not genuine", async () => {
    expect(await outcomes(() => put("job", "forged"))).toEqual(each(401));
  });
});

describe.each([300_000, 13 * MB])("a body of %i bytes for the API is answered 413", (bytes) => {
  const post = (body: BodyInit) =>
    fetch(`${platform.baseUrl}/v1/on-demand`, {
      method: "POST",
      headers: { authorization: platform.authorization, "content-type": "application/json" },
      body,
      duplex: "half",
    } as RequestInit);

  test("with its length announced", async () => {
    const body = Buffer.alloc(bytes, "a");
    expect(await outcomes(() => post(body))).toEqual(each(413));
  });

  test("in chunks", async () => {
    expect(await outcomes(() => post(inPieces(bytes) as never))).toEqual(each(413));
  });
});

test("a callback of an encoder that is too long is answered 413", async () => {
  const jobId = `${assetId}.v0`;
  const grant = { jobId, assetId, attempt: 1, renditions: [], segments: [0, 0] as [number, number] };
  const token = await signJobGrant(jobSecret, { ...grant, expiresAt: Date.now() + GRANT_MS });
  const post = () =>
    fetch(`${platform.baseUrl}/internal/jobs/${jobId}/complete`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: inPieces(13 * MB) as never,
      duplex: "half",
    } as RequestInit);
  expect(await outcomes(post)).toEqual(each(413));
});

describe.each([
  ["no encoder listens", () => Promise.resolve()],
  ["the gateway is gone", registerGatewayThatIsGone],
])("a push is answered 503 when %s", (_, prepare) => {
  beforeAll(prepare);

  test.each([4 * MB, 20 * MB])("with a body of %i bytes", async (bytes) => {
    const { ingest } = await newLiveStream(platform);
    const push = () =>
      fetch(ingest.http, { method: "POST", body: inPieces(bytes) as never, duplex: "half" } as RequestInit);
    expect(await outcomes(push)).toEqual(each(503));
  });
});

async function registerGatewayThatIsGone(): Promise<void> {
  const gatewayId = "gone";
  const answer = await fetch(`${platform.baseUrl}/internal/ingest/register`, {
    method: "POST",
    headers: { authorization: `Bearer ${gatewayCredential(encoderSecret, gatewayId, ["127.0.0.1"])}` },
    body: JSON.stringify({
      gatewayId,
      rtmpUrl: null,
      rtmpsUrl: null,
      srtUrl: null,
      httpUrl: `http://127.0.0.1:${await freePort()}`,
      startedAt: Date.now(),
    }),
  });
  expect(answer.status).toBe(200);
}
