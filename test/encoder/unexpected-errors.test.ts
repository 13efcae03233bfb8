/** An exception in a child process is found from the log alone, and its stack goes nowhere else. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { outcomeFields } from "../../encoder/gateway/reception/outcome-fields.ts";
import { ImageProcess } from "../../encoder/images/image-process.ts";
import type { ImagePool } from "../../encoder/images/image-pool.ts";
import { answerImage } from "../../encoder/images/route.ts";
import { startChild } from "../../encoder/jobs/child-process.ts";
import { HeldJob } from "../../encoder/jobs/held-job.ts";
import { BROADCAST_LIMITS, runBroadcast, startBroadcastChild } from "../../encoder/live/broadcast-process.ts";
import { IMAGE_HEADER, type ImageRequest } from "../../protocol/images.ts";
import type { Job } from "../../protocol/jobs.ts";
import { TestEncoder, type LogLine } from "../support/encoder.ts";
import { sizedTo } from "../support/image-request.ts";
import { broadcastOf, chunksOf, collector, FLV, PLAN } from "../support/live.ts";
import { gridFor, rungFor } from "../support/rendition.ts";
import { makeSource } from "../support/sources.ts";

let encoder: TestEncoder;
beforeAll(async () => void (encoder = await TestEncoder.start()));
afterAll(() => encoder.stop());

let lines: LogLine[];
beforeEach(() => {
  lines = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(JSON.parse(line) as LogLine));
});
afterEach(() => void vi.restoreAllMocks());

test("a job: job.ended has the stack, and the Worker gets the code alone", async () => {
  const path = await makeSource("mp4-fast-start");
  const facts = await encoder.probe(path);
  const { job, desk } = encoder.prepare(path, {
    kind: "video",
    video: facts.video!,
    grid: gridFor(facts),
    firstFrame: 0,
    frameCount: 30,
    firstSegment: 0,
    rungs: [rungFor(64, 48)],
  });
  await new HeldJob({ ...job, rungs: undefined } as unknown as Job).run(startChild);
  expect(await desk.ending).toEqual({
    failure: { code: "encoder_failed", message: "The encoder failed on this job." },
  });
  expect(lines.find(({ event }) => event === "job.ended")).toMatchObject({
    jobId: job.jobId,
    outcome: "encoder_failed",
    error: expect.stringMatching(/^TypeError: .*'map'/) as string,
    stack: expect.stringMatching(/at encodeChunk \(.*encoder\/media\/chunk\.ts:\d+:\d+\)/) as string,
  });
});

/** Has `outcomeOf` make the picture, and returns the response. */
async function imageBy(outcomeOf: (one: ImageProcess) => ReturnType<ImageProcess["make"]>): Promise<Response> {
  const one = new ImageProcess();
  const pool = { make: () => outcomeOf(one) } as unknown as ImagePool;
  const server = createServer(
    (request, response) =>
      void answerImage(request, response, pool, { isOurs: true, workspace: "w", assetId: "asset-1" }),
  );
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const json = JSON.stringify(PICTURE);
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
    method: "POST",
    headers: { [IMAGE_HEADER]: String(json.length), connection: "close" },
    body: `${json}!`,
  });
  one.end();
  server.close();
  return response;
}
const PICTURE: ImageRequest = { kind: "picture", bytes: 1, format: "jpg", transform: sizedTo(64, 48) };
const BODY = new Uint8Array(1);

test("a picture: image.failed has the stack and the asset, and the Worker gets the code alone", async () => {
  const broken = { kind: "sheet", inits: [1], pieces: [], columns: 1, rows: 1 } as unknown as ImageRequest; // without a tile
  const response = await imageBy((one) => one.make(broken, BODY));
  expect([response.status, await response.json()]).toEqual([500, { error: "encoder_failed" }]);
  expect(lines.find(({ event }) => event === "image.failed")).toMatchObject({
    assetId: "asset-1",
    code: "encoder_failed",
    error: expect.stringMatching(/^TypeError: /) as string,
    stack: expect.stringMatching(/at makeSheet \(.*encoder\/images\/sheet\.ts:\d+:\d+\)/) as string,
  });
});

test("a picture whose process ends: image.failed says how", async () => {
  const response = await imageBy((one) => {
    const made = one.make(PICTURE, new Uint8Array(0));
    one.end();
    return made;
  });
  expect([response.status, await response.json()]).toEqual([500, { error: "encoder_crashed" }]);
  expect(lines.find(({ event }) => event === "image.failed")).toMatchObject({ reason: "SIGKILL" });
});

test("a broadcast: encoder.ended has the stack", async () => {
  const { listener } = collector();
  const receiver = { ...listener, onInit: async () => {}, onPart: async () => {}, onGap: async () => {} };
  const outcome = await runBroadcast(
    startBroadcastChild(),
    chunksOf(await broadcastOf(`$STRIP ${FLV}`)),
    { ...PLAN, settings: null } as unknown as typeof PLAN,
    { ...receiver, onRejected: () => {} },
    new AbortController().signal,
    BROADCAST_LIMITS,
  );
  expect(outcomeFields(outcome)).toMatchObject({
    outcome: "encoder_failed",
    reason: "The encoder failed on this broadcast.",
    error: expect.stringMatching(/^TypeError: /) as string,
    stack: expect.stringMatching(/encoder\/live\/[a-z-]+\.ts:\d+:\d+/) as string,
  });
});
