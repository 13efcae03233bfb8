/** The package that `npm run build:sdk` makes, installed in a folder of its own: the examples of its README, in the system's Node. */
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildSdk } from "../../../scripts/build-sdk.ts";
import { runCommand } from "../../support/command.ts";
import { codeBlocks, theBlock } from "../../support/guide-blocks.ts";
import { sharedPlatform, type SharedPlatform } from "../../support/platform.ts";

const README = "sdk/README.md";
const blocks = codeBlocks(README);
const run = promisify(execFile);

/** Without this repository's commands: what remains is the system's Node, if there is one. */
const PATH = process.env["PATH"]!.split(delimiter)
  .filter((folder) => !folder.includes("node_modules"))
  .join(delimiter);

let platform: SharedPlatform;
let folder: string;
let env: NodeJS.ProcessEnv;
let node: string;

beforeAll(async () => {
  [platform, folder] = await Promise.all([sharedPlatform(), mkdtemp(join(tmpdir(), "sluice-package-"))]);
  const { username, password } = platform.settings.secrets;
  const credentials = { SLUICE_BASE_URL: platform.baseUrl, SLUICE_ACCESS_TOKEN: username, SLUICE_SECRET_KEY: password };
  env = { PATH, HOME: folder, ...credentials };
  node = await systemNode();
  await install();
  await copyFile("test/fixtures/friday.mp4", join(folder, "film.mp4"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** The system's Node, if this package runs in it; else the one of the tests. */
async function systemNode(): Promise<string> {
  const found = await run("node", ["-p", "process.execPath"], { env: { PATH } }).catch(() => ({ stdout: "" }));
  const path = found.stdout.trim();
  const { stdout } = path === "" ? { stdout: "0" } : await run(path, ["-p", "process.versions.node"]);
  return Number.parseInt(stdout, 10) >= 20 ? path : process.execPath;
}

/** Packs the package and unpacks it as npm would, beside its dependencies. */
async function install(): Promise<void> {
  const built = join(folder, "built");
  await buildSdk(built);
  const packed = await run("npm", ["pack", built, "--json", "--pack-destination", folder], { cwd: folder });
  const [{ filename } = { filename: "" }] = JSON.parse(packed.stdout) as { filename: string }[];
  const modules = join(folder, "node_modules");
  await mkdir(join(modules, "@sluice", "sdk"), { recursive: true });
  await run("tar", ["xzf", join(folder, filename), "--strip-components=1", "-C", join(modules, "@sluice", "sdk")]);
  const manifest = JSON.parse(await readFile(join(modules, "@sluice", "sdk", "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
    bin: { sluice: string };
  };
  const others = [...Object.keys(manifest.dependencies), "openapi-typescript-helpers", "@types"]; // the last two: for types
  for (const name of others) await symlink(resolve("node_modules", name), join(modules, name));
  await mkdir(join(modules, ".bin"));
  await symlink(join("..", "@sluice", "sdk", manifest.bin.sluice), join(modules, ".bin", "sluice"));
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
}

/** An example as JavaScript, as its user's build would make it. @returns the file */
async function compiled(heading: string): Promise<string> {
  const { code } = await transform(theBlock(blocks, "ts", heading), { loader: "ts", format: "esm", target: "node20" });
  const file = join(folder, `${heading.toLowerCase().replaceAll(" ", "-")}.mjs`);
  await writeFile(file, code);
  return file;
}

async function runExample(heading: string, ...args: string[]): Promise<string> {
  const { status, output } = await runCommand([node, await compiled(heading), ...args], { env, cwd: folder });
  expect([status, output]).toEqual([0, expect.any(String)]);
  return output;
}

test("the README's examples type-check against the package", async () => {
  const examples = blocks.filter(({ language }) => language === "ts");
  expect(examples).toHaveLength(6);
  for (const [index, { code }] of examples.entries()) await writeFile(join(folder, `example-${index}.ts`), code);
  const compilerOptions = {
    target: "ES2022",
    module: "NodeNext",
    lib: ["ES2024", "DOM", "DOM.Iterable"],
    types: ["node"],
    strict: true,
    noEmit: true,
    exactOptionalPropertyTypes: true,
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["example-*.ts"] }));
  const tsc = [resolve("node_modules/typescript/bin/tsc"), "-p", folder];
  expect(await runCommand([process.execPath, ...tsc])).toEqual({ status: 0, output: "", said: [] });
});

test("a file is uploaded and plays", async () => {
  const output = await runExample("Upload a file");
  expect(output).toMatch(/^0 of 515198 bytes\n515198 of 515198 bytes\n00:00:06 http:\S+\/player\/\S+\n$/);
  const [, player] = /(http\S+)/.exec(output)!;
  expect((await fetch(player!)).status).toBe(200);
});

test("any operation is called, lists are read, and a refusal has its fields", async () => {
  await platform.create("http://127.0.0.1:9/a.mp4", { title: "Listed" });
  const output = await runExample("Call any operation");
  expect(output).toMatch(/^idle\n[^]*Listed \w+\n[^]*422 \[\n? *\{ ?\n? *field: 'inputs\[0\]\.url'/);
});

test("a receiver answers the check of a new webhook, accepts its deliveries, and refuses forged ones", async () => {
  const { default: receiver } = (await import(pathToFileURL(await compiled("Receive webhooks")).href)) as {
    default: { fetch(request: Request, env: { WEBHOOK_SECRET: string }): Promise<Response> };
  };
  let secret = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
  const requests: Request[] = [];
  const server = await serve(async (request) => {
    requests.push(request.clone());
    return await receiver.fetch(request, { WEBHOOK_SECRET: secret });
  });
  try {
    const { port } = server.address() as AddressInfo;
    const created = await platform.api<{ id: string; secret: string }>("POST", "/v1/webhooks", {
      url: `http://127.0.0.1:${port}/`,
    });
    expect(created.status).toBe(201); // the check was answered
    const sample = () =>
      platform.api<{ delivered: boolean }>("POST", `/v1/webhooks/${created.body.data.id}/test`, {
        type: "asset.ready",
      });
    expect((await sample()).body.data.delivered).toBe(false); // of another secret
    ({ secret } = created.body.data);
    expect((await sample()).body.data.delivered).toBe(true);
    const { headers } = requests.at(-1)!;
    const forged = new Request(`http://127.0.0.1:${port}/`, {
      method: "POST",
      headers,
      body: `{"type":"asset.ready"}`,
    });
    expect((await receiver.fetch(forged, { WEBHOOK_SECRET: secret })).status).toBe(401);
  } finally {
    server.close();
  }
});

test("a token that the server signs plays a private media", async () => {
  const { playbackId } = await platform.create("http://127.0.0.1:9/a.mp4", { accessPolicy: "private" });
  const hls = (await runExample("Sign playback tokens", playbackId)).trim();
  const { pathname, searchParams } = new URL(hls);
  expect([pathname, searchParams.get("token")]).toEqual([`/${playbackId}.m3u8`, expect.stringMatching(/^ey/)]);
  expect((await fetch(hls.split("?")[0]!)).status).toBe(401);
  expect((await fetch(hls)).status).not.toBe(401); // its source does not exist, so it never plays
});

test("the commands run, in the system's Node", async () => {
  const code = theBlock(blocks, "sh", "The command");
  const { status, output } = await runCommand(["bash", "-euo", "pipefail", "-c", code], { env, cwd: folder });
  expect(output).toMatch(/✓ Uploaded[^]*✓ Playable[^]*✓ Ready[^]*film\.mp4\n[^]*Broadcast to one of these addresses/);
  expect(status).toBe(0);
  const { status: listed } = await runCommand([node, "node_modules/.bin/sluice", "list"], { env, cwd: folder });
  expect(listed).toBe(0);
});

async function serve(answer: (request: Request) => Promise<Response>): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    void toRequest(incoming)
      .then(answer)
      .then(async (response) => outgoing.writeHead(response.status).end(await response.text()));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return server;
}

async function toRequest(incoming: IncomingMessage): Promise<Request> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  const headers = Object.entries(incoming.headers).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as [string, string]] : [],
  );
  return new Request("http://receiver.test/", { method: "POST", headers, body: Buffer.concat(pieces) });
}
