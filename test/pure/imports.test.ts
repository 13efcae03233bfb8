/** The rules of the map: each kind of forbidden import is found, and `npm run check` fails on it. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CHECKED_FOLDERS } from "../../scripts/imports/map.ts";
import { readModule, readModules } from "../../scripts/imports/read.ts";
import { brokenRules } from "../../scripts/imports/rules.ts";

/** The violations in a repository of these files. */
const wrongIn = (files: Record<string, string>) =>
  brokenRules(Object.entries(files).map(([path, source]) => readModule(path, source)));

/** The relative path from one folder to another, as an import spells it. */
const to = (from: string, folder: string) => {
  const path = relative(from, folder);
  return path.startsWith(".") ? path : `./${path}`;
};

describe("an import that the map allows is not reported", () => {
  test.each([
    ["composition enters a room by file", "src/app.ts", `import "./library/assets/routes.ts";`],
    ["a domain uses the platform by file", "src/live/streams/a.ts", `import "../../platform/http/problems.ts";`],
    ["a domain uses media by file", "src/playback/a.ts", `import "../media/hls/attributes.ts";`],
    ["a sibling is entered through its index", "src/live/clips/a.ts", `import "../../library/assets/index.ts";`],
    ["a room uses another room of its domain by file", "src/live/clips/a.ts", `import "../streams/tables.ts";`],
    ["the entry point exports a durable object", "src/worker.ts", `export { A } from "../durable-objects/a.ts";`],
    ["a durable object uses a room by file", "durable-objects/a.ts", `import "../src/live/origin/origin-index.ts";`],
    ["the encoder uses the protocol", "encoder/live/a.ts", `import "../../protocol/live.ts";`],
    ["media uses the platform's pure parts", "src/media/hls/a.ts", `import "../../platform/http/problems.ts";`],
    ["composition knows the build's migrations", "src/setup.ts", `import a from "../migrations/meta/_journal.json";`],
    ["the command line uses the protocol", "sdk/cli/commands/a.ts", `import "../../../protocol/secure-url.ts";`],
    ["packages may be used anywhere", "protocol/jobs.ts", `import { z } from "zod";`],
  ])("%s", (_, path, source) => {
    expect(wrongIn({ [path]: source })).toEqual([]);
  });
});

describe("a forbidden import is reported", () => {
  test.each([
    ["up from the platform", "src/platform/log.ts", "../media/types.ts", "platform/ lies below media/"],
    ["up from media", "src/media/a.ts", "../events/index.ts", "media/ lies below events/"],
    ["up from events", "src/events/a.ts", "../library/assets/index.ts", "events/ lies below library/"],
    ["up from tenancy", "src/tenancy/credentials/a.ts", "../../live/index.ts", "tenancy/ lies below live/"],
    ["up from the library", "src/library/assets/a.ts", "../../playback/index.ts", "library/ lies below playback/"],
    ["up to the composition", "src/playback/a.ts", "../app.ts", "playback/ lies below the composition in src/"],
    [
      "from an object up to the composition",
      "durable-objects/a.ts",
      "../src/app.ts",
      "lies below the composition in src/",
    ],
    [
      "of a sibling past its index",
      "src/live/clips/a.ts",
      "../../library/assets/tables.ts",
      "entered through an index.ts",
    ],
    ["of a sibling on the lower floor", "src/tenancy/a.ts", "../events/listing.ts", "entered through an index.ts"],
    ["past the index of a domain below", "src/library/a/b.ts", "../../events/redaction.ts", "through an index.ts"],
    ["from src/ to a durable object", "src/live/streams/a.ts", "../../../durable-objects/a.ts", "an interface of its"],
    ["from the Worker to the encoder", "src/live/ingest/a.ts", "../../../encoder/http.ts", "shares only protocol/"],
    ["from an object to the encoder", "durable-objects/a.ts", "../encoder/http.ts", "shares only protocol/"],
    ["from the encoder to the Worker", "encoder/a.ts", "../src/platform/log.ts", "shares only protocol/"],
    ["from the encoder to an object", "encoder/a.ts", "../durable-objects/a.ts", "shares only protocol/"],
    ["from the protocol to the Worker", "protocol/a.ts", "../src/media/types.ts", "nothing of ours but itself"],
    ["from the protocol to the encoder", "protocol/a.ts", "../encoder/http.ts", "nothing of ours but itself"],
    ["from the SDK to the Worker", "sdk/api/a.ts", "../../src/platform/timestamp.ts", "a package of its own"],
    ["from the SDK's library to the protocol", "sdk/api/a.ts", "../../protocol/hex.ts", "a package of its own"],
    ["from the command line to the encoder", "sdk/cli/a.ts", "../../encoder/http.ts", "a package of its own"],
    ["from the Worker to the SDK", "src/live/a.ts", "../../sdk/index.ts", "the platform does not use its client"],
    ["from the encoder to the SDK", "encoder/a.ts", "../sdk/index.ts", "the platform does not use its client"],
    ["from media to the bindings", "src/media/mp4/a.ts", "../../platform/env.ts", "media/ is pure"],
    ["from media to the database", "src/media/mp4/a.ts", "../../platform/database.ts", "media/ is pure"],
    ["from media to the network", "src/media/mp4/a.ts", "../../platform/network/resolve.ts", "media/ is pure"],
    ["from a room to the migrations", "src/live/a.ts", "../../migrations/meta/_journal.json", "is not on the map"],
    ["to a folder that is not on the map", "src/app.ts", "./helpers/a.ts", "has no floor"],
  ])("%s", (_, path, target, rule) => {
    const forms = [
      `import { A } from "${target}";`,
      `import type { A } from "${target}";`,
      `import { type A } from "${target}";`,
      `export type { A } from "${target}";`,
      `export * from "${target}";`,
      `const a = await import("${target}");`,
      `type A = import("${target}").A;`,
    ];
    for (const form of forms) {
      expect({ form, found: wrongIn({ [path]: form }) }).toEqual({ form, found: [expect.stringContaining(rule)] });
    }
  });

  test.each([
    ["src/media/hls/a.ts", `import { DurableObject } from "cloudflare:workers";`, "cloudflare:workers"],
    ["protocol/a.ts", `import type { Container } from "@cloudflare/containers";`, "@cloudflare/containers"],
    ["src/media/hls/a.ts", `export const read = (bucket: R2Bucket) => bucket;`, "R2Bucket"],
    ["protocol/a.ts", `export interface A { db: D1Database | null }`, "D1Database"],
  ])("of a binding: %s, %s", (path, source, name) => {
    expect(wrongIn({ [path]: source })).toEqual([expect.stringContaining(`uses ${name}`)]);
  });
});

describe("a door of a durable object that is not its `*-calls.ts` is reported", () => {
  test.each([
    ["src/live/streams/a.ts", `const stub = env.ASSET_MACHINE.get(env.ASSET_MACHINE.idFromName(id));`, "idFromName"],
    [
      "src/live/streams/stream-calls.ts",
      `machines.get(machines.idFromString(id)).fetch("https://a/b");`,
      "idFromString",
    ],
    ["durable-objects/a.ts", `const stub = env.VIEW_STORE.getByName("a");`, "getByName"],
    ["src/cron.ts", `env.VIEW_STORE["newUniqueId"]();`, "newUniqueId"],
    ["src/library/assets/a.ts", `import { proxyDurable } from "itty-durable";`, "itty-durable"],
    [
      "src/library/assets/a.ts",
      `import { remoteObject } from "../../platform/machine/remote.ts";`,
      "machine/remote.ts",
    ],
    ["src/library/assets/a.ts", `import { ittyMachine } from "../../platform/machine/itty.ts";`, "machine/itty.ts"],
  ])("%s: %s", (path, source, name) => {
    const doors = expect.stringMatching(`uses \\S*${name}: an object is called through`);
    expect(wrongIn({ [path]: source })).toEqual([doors]);
  });

  test.each([
    ["durable-objects/a.ts", `class A { fetch(request) { return this.calls[new URL(request.url).pathname](); } }`],
    [
      "durable-objects/a.ts",
      `import { serveCalls } from "../src/platform/machine/itty.ts"; class A { async fetch(request) { const { order } = await request.json(); } }`,
    ],
  ])("a string dispatch: %s: %s", (path, source) => {
    expect(wrongIn({ [path]: source })).toEqual([expect.stringContaining(`${path} reads requests`)]);
  });

  test.each([
    [
      "durable-objects/a.ts",
      `import { serveCalls } from "../src/platform/machine/itty.ts"; class A { fetch(request) { return this.serve(request); } }`,
    ],
    ["src/platform/machine/itty.ts", `import { createDurable } from "itty-durable"; objects.idFromName(name);`],
    ["src/live/streams/stream-calls.ts", `import { ittyMachine } from "../../platform/machine/itty.ts";`],
    ["durable-objects/a.ts", `import { serveCalls } from "../src/platform/machine/itty.ts";`],
    ["src/live/streams/a.ts", `import { streamMachine } from "./stream-calls.ts"; map.get(streamMachine(env, id));`],
  ])("but not %s: %s", (path, source) => {
    expect(wrongIn({ [path]: source })).toEqual([]);
  });
});

test("a domain that is not on the map is reported, although nothing imports it", () => {
  const found = wrongIn({ "src/helpers/a.ts": ``, "src/helpers/b/b.ts": `` });
  expect(found).toEqual(["src/helpers: the folder has no floor (scripts/imports/map.ts)"]);
});

describe("an import cycle is reported", () => {
  test("of files, type imports included", () => {
    const found = wrongIn({
      "src/live/streams/a.ts": `import type { B } from "./b.ts";`,
      "src/live/streams/b.ts": `import { c } from "./c.ts";`,
      "src/live/streams/c.ts": `export type { A } from "./a.ts";`,
      "src/live/streams/d.ts": `import "./a.ts";`,
    });
    expect(found).toEqual(["circle of 3 files: src/live/streams/a.ts, src/live/streams/b.ts, src/live/streams/c.ts"]);
  });

  test("of folders, without a cycle of files", () => {
    const found = wrongIn({
      "src/live/streams/a.ts": `import "../clips/b.ts";`,
      "src/live/clips/b.ts": ``,
      "src/live/clips/c.ts": `import "../streams/d.ts";`,
      "src/live/streams/d.ts": ``,
    });
    expect(found).toEqual([
      "circle of 2 folders: src/live/clips, src/live/streams, as src/live/clips/c.ts imports src/live/streams/d.ts, and src/live/streams/a.ts imports src/live/clips/b.ts",
    ]);
  });

  test("of many folders, with the imports of the shortest way around", () => {
    const found = wrongIn({
      "src/live/a/a.ts": `import "../b/b.ts";`,
      "src/live/b/b.ts": `import "../c/c.ts";`,
      "src/live/c/c.ts": `import "../d/d.ts";`,
      "src/live/d/d.ts": ``,
      "src/live/d/back.ts": `import "../c/other.ts"; import "../a/other.ts";`,
      "src/live/c/other.ts": ``,
      "src/live/a/other.ts": ``,
    });
    expect(found).toEqual([
      "circle of 4 folders: src/live/a, src/live/b, src/live/c, src/live/d, as src/live/c/c.ts imports src/live/d/d.ts, and src/live/d/back.ts imports src/live/c/other.ts",
    ]);
  });

  test.each([
    ["a folder and its own subfolder", "src/events/webhooks", "src/events/webhooks/sender"],
    ["two subfolders of one room", "src/events/webhooks/sender", "src/events/webhooks/deliveries"],
    ["a domain and its subfolder", "src/events", "src/events/catalogue"],
    ["folders three levels below a domain", "src/media/live/freeze/a", "src/media/live/freeze/b"],
    ["folders of the protocol", "protocol", "protocol/media"],
    ["a root and its folder", "encoder", "encoder/gateway"],
    ["a folder of the encoder", "encoder/gateway", "encoder/gateway/rtmp"],
  ])("of nested folders, without a cycle of files: %s", (_, one, other) => {
    const found = wrongIn({
      [`${one}/a.ts`]: `import "${to(one, other)}/b.ts";`,
      [`${other}/b.ts`]: ``,
      [`${other}/c.ts`]: `import type { D } from "${to(other, one)}/d.ts";`,
      [`${one}/d.ts`]: ``,
    });
    const steps = [`${one}/a.ts imports ${other}/b.ts`, `${other}/c.ts imports ${one}/d.ts`];
    expect(found).toEqual([
      `circle of 2 folders: ${[one, other].sort().join(", ")}, as ${(one < other ? steps : steps.toReversed()).join(", and ")}`,
    ]);
  });

  test("a folder that imports its subfolder, or its parent, in one direction only is not a cycle", () => {
    const found = wrongIn({
      "src/events/webhooks/index.ts": `export * from "./sender/a.ts";`,
      "src/events/webhooks/sender/a.ts": `import "../../index.ts";`,
      "src/events/index.ts": `export * from "./catalogue/a.ts";`,
      "src/events/catalogue/a.ts": ``,
    });
    expect(found).toEqual([]);
  });

  test("two separate cycles, each reported", () => {
    const found = wrongIn({
      "encoder/a.ts": `import "./b.ts";`,
      "encoder/b.ts": `import "./a.ts"; import "./c.ts";`,
      "encoder/c.ts": `import "./d.ts";`,
      "encoder/d.ts": `import "./c.ts";`,
    });
    expect(found.sort()).toEqual([
      "circle of 2 files: encoder/a.ts, encoder/b.ts",
      "circle of 2 files: encoder/c.ts, encoder/d.ts",
    ]);
  });
});

test("the repository conforms to the rules", async () => {
  const modules = await readModules(CHECKED_FOLDERS);
  expect(modules.length).toBeGreaterThan(400);
  expect(brokenRules(modules)).toEqual([]);
});

describe("npm run check", () => {
  const SCRIPT = resolve("scripts/check.ts");
  const check = (cwd: string) => promisify(execFile)(process.execPath, [SCRIPT, "imports"], { cwd });
  let root: string;
  const write = async (path: string, source: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), source);
  };

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "sluice-imports-"));
    for (const folder of CHECKED_FOLDERS) await write(`${folder}/empty.ts`, "export {};");
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  test("fails on an upward import, and names it", async () => {
    await write("src/live/index.ts", "export type A = 1;");
    await write("src/platform/log.ts", "export {};");
    await expect(check(root)).resolves.toMatchObject({ stdout: expect.stringContaining("✓ imports") });
    await write("src/platform/log.ts", `import type { A } from "../live/index.ts";`);
    await expect(check(root)).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining("src/platform/log.ts imports src/live/index.ts: platform/ lies below live/"),
    });
  });

  test("fails on a cycle of a folder and its subfolder, and names them", async () => {
    await write("src/live/edge/a.ts", `import "./held/b.ts";`);
    await write("src/live/edge/held/b.ts", "export {};");
    await write("src/live/edge/held/c.ts", "export {};");
    await write("src/live/edge/d.ts", "export type D = 1;");
    await expect(check(root)).resolves.toMatchObject({ stdout: expect.stringContaining("✓ imports") });
    await write("src/live/edge/held/c.ts", `import type { D } from "../d.ts";`);
    await expect(check(root)).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining("circle of 2 folders: src/live/edge, src/live/edge/held"),
    });
  });
});
