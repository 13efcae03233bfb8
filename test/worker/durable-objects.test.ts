import { Container } from "@cloudflare/containers";
import { env, runInDurableObject } from "cloudflare:test";
import { DurableObject } from "cloudflare:workers";
import { parse } from "smol-toml";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as durableObjects from "../../durable-objects/index.ts";
import type { ImageOrder } from "../../src/library/images/image-calls.ts";
import { assetMachine } from "../../src/library/assets/asset-calls.ts";
import { Problem } from "../../src/platform/http/problems.ts";
import * as worker from "../../src/worker.ts";
import config from "../../wrangler.toml?raw";

let lines: Record<string, unknown>[];
beforeEach(() => {
  lines = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(JSON.parse(line)));
});
afterEach(() => void vi.restoreAllMocks());

const failures = () => lines.filter(({ event }) => event === "object.failed");

/** The only class that inherits more: the library starts and stops the encoder's container. */
const PARENTS: Record<string, unknown> = { EncoderContainer: Container };

test.each(Object.entries(durableObjects))("%s inherits Cloudflare's `DurableObject` and nothing else", (name, made) => {
  expect(Object.getPrototypeOf(made)).toBe(PARENTS[name] ?? DurableObject);
});

test("every class that is bound is in durable-objects/index.ts, whose classes the Worker exports and logs errors of", () => {
  const { durable_objects: bound } = parse(config) as unknown as {
    durable_objects: { bindings: { class_name: string }[] };
  };
  const names = bound.bindings.map(({ class_name: name }) => name);
  expect(Object.keys(durableObjects).toSorted()).toEqual(names.toSorted());
  expect(worker).toMatchObject(durableObjects);
});

/** Any method fails at its first use of it. */
const noObject = new Proxy({}, { get: () => lacksPlaces() });

/** @returns the the first of the class's own methods that fails without an object; undefined = none of them uses its object */
async function failingMethod({ prototype }: { prototype: object }): Promise<string | undefined> {
  for (const [method, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (method === "constructor" || typeof value !== "function") continue;
    const call = async () => await (value as () => unknown).call(noObject);
    const hasFailed = await call().then(
      () => false,
      () => true,
    );
    if (hasFailed) return method;
  }
  return undefined;
}

test.each(Object.entries(durableObjects))("%s logs an unexpected error of its methods", async (name, made) => {
  const method = await failingMethod(made);
  expect(method, "a method that uses its object").toBeDefined();
  expect(failures()).toEqual([expect.objectContaining({ level: "error", class: name, method })]);
});

/** @returns what the caller of an image maker gets that throws */
async function caughtFrom(thrower: () => never): Promise<unknown> {
  const stub = env.IMAGE_MAKER.get(env.IMAGE_MAKER.idFromName(crypto.randomUUID()));
  await runInDurableObject(stub, (maker: durableObjects.ImageMaker) => {
    maker.components.underWay.get = thrower;
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

test("an unexpected error of a call through itty-durable is logged, and reaches the caller", async () => {
  const assetId = crypto.randomUUID();
  const stub = env.ASSET_MACHINE.get(env.ASSET_MACHINE.idFromName(assetId));
  await runInDurableObject(stub, ({ components }: durableObjects.AssetMachine) => {
    Object.defineProperty(components, "state", { get: lacksPlaces });
  });
  await expect(assetMachine(env, assetId).confirmPurge(1)).rejects.toThrow("no places");
  expect(failures()).toMatchObject([
    { class: "AssetMachine", method: "fetch", stack: expect.stringMatching(/lacksPlaces(.|\n)*at confirmPurge /) },
  ]);
});
