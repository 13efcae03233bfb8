import { env, runInDurableObject } from "cloudflare:test";
import { DurableObject } from "cloudflare:workers";
import { parse } from "smol-toml";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as durableObjects from "../../durable-objects/index.ts";
import type { ImageOrder } from "../../src/library/images/image-calls.ts";
import { assetMachine } from "../../src/library/assets/asset-calls.ts";
import { Problem } from "../../src/platform/http/problems.ts";
import { callMachine } from "../../src/platform/machine/calls.ts";
import * as worker from "../../src/worker.ts";
import config from "../../wrangler.toml?raw";

let lines: Record<string, unknown>[];
beforeEach(() => {
  lines = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(JSON.parse(line)));
});
afterEach(() => void vi.restoreAllMocks());

const failures = () => lines.filter(({ event }) => event === "object.failed");

test("classes of Durable Objects inherit Cloudflare's `DurableObject` and nothing else", () => {
  const { AssetMachine, ImageMaker, LiveStreamMachine, LiveOrigin, UploadMachine, WebhookSender } = worker;
  const parents = [AssetMachine, ImageMaker, LiveStreamMachine, LiveOrigin, UploadMachine, WebhookSender].map(
    (durableObject) => Object.getPrototypeOf(durableObject) as unknown,
  );
  expect(parents.map((parent) => parent === DurableObject)).toEqual([true, true, true, true, true, true]);
});

test("every class that is bound is in durable-objects/index.ts, whose classes log their errors", () => {
  const { durable_objects: bound } = parse(config) as unknown as {
    durable_objects: { bindings: { class_name: string }[] };
  };
  const names = bound.bindings.map(({ class_name: name }) => name);
  expect(Object.keys(durableObjects).toSorted()).toEqual(names.toSorted());
});

test.each(Object.entries(durableObjects))("%s logs an unexpected error of its methods", async (name, { prototype }) => {
  const method = Object.hasOwn(prototype, "alarm") ? "alarm" : "onActivityExpired";
  const { [method]: call } = prototype as unknown as Record<string, () => Promise<void>>;
  const noObject = {}; // lacks everything that the method needs
  await expect(async () => await call!.call(noObject)).rejects.toThrow(TypeError);
  expect(failures()).toEqual([expect.objectContaining({ level: "error", class: name, method })]);
});

/** @returns what the caller of an image maker gets that throws */
async function caughtFrom(thrower: () => never): Promise<unknown> {
  const stub = env.IMAGE_MAKER.get(env.IMAGE_MAKER.idFromName(crypto.randomUUID()));
  await runInDurableObject(stub, (maker: durableObjects.ImageMaker) => {
    maker.parts.underWay.get = thrower;
  });
  return await stub.make({ name: "poster.jpg" } as ImageOrder).catch((caught: unknown) => caught);
}

function lacksPlaces(): never {
  throw new TypeError("no places");
}

test("an unexpected error over RPC is logged with the place where it was thrown, and reaches the caller", async () => {
  expect(await caughtFrom(lacksPlaces)).toMatchObject({ message: "no places" });
  expect(failures()).toEqual([
    expect.objectContaining({
      class: "ImageMaker",
      method: "make",
      error: "TypeError: no places",
      stack: expect.stringMatching(/lacksPlaces .*durable-objects\.test(.|\n)*at makeImage /),
    }),
  ]);
});

test("a problem is an answer and is not logged", async () => {
  const refused = await caughtFrom(() => {
    throw new Problem("media_not_found", "there is none");
  });
  expect(refused).toMatchObject({ message: "there is none" });
  expect(failures()).toEqual([]);
});

test("errors of a machine's calls are logged: of documents, and of small calls", async () => {
  const assetId = crypto.randomUUID();
  const stub = env.ASSET_MACHINE.get(env.ASSET_MACHINE.idFromName(assetId));
  await runInDurableObject(stub, ({ parts }: durableObjects.AssetMachine) => {
    Object.defineProperty(parts, "state", { get: lacksPlaces });
  });
  await expect(callMachine(env.ASSET_MACHINE, assetId, "complete", { jobId: "a" })).rejects.toThrow("no places");
  await expect(assetMachine(env, assetId).purged(1)).rejects.toThrow("no places");
  expect(failures()).toMatchObject([
    { class: "AssetMachine", method: "fetch" },
    { class: "AssetMachine", method: "fetch", stack: expect.stringMatching(/lacksPlaces(.|\n)*at onPurged /) },
  ]);
});
