/** A page uploads a file with the SDK, as the README of the SDK shows. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { codeBlocks, theBlock } from "../support/guide-blocks.ts";
import { isReady, sharedPlatform, type SharedPlatform } from "../support/platform.ts";
import { testBrowser } from "./players/chromium.ts";

const blocks = codeBlocks("sdk/README.md");
const FILM = "test/fixtures/flower.mp4";
const PAGE = `<!doctype html><link rel="icon" href="data:,"><input type="file"><progress value="0"></progress>
<script type="module" src="/page.js"></script>`;

let platform: SharedPlatform;
let browser: Browser;
let folder: string;
let server: Server;
let origin: string;
let uploadUrl = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-sdk-page-"));
  [platform, browser] = await Promise.all([sharedPlatform(), testBrowser()]);
  const [script, newUpload] = [await bundled("In the page", "browser"), await serverExample()];
  server = createServer((request, response) => {
    void (async () => {
      if (request.url === "/new-upload") return response.end((uploadUrl = await newUpload(origin)));
      const isScript = request.url === "/page.js";
      response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" });
      response.end(isScript ? script : PAGE);
    })();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server?.close();
  await rm(folder, { recursive: true, force: true });
});

async function bundled(heading: string, target: "browser" | "node"): Promise<string> {
  const stdin = { contents: theBlock(blocks, "ts", heading), loader: "ts" as const, resolveDir: process.cwd() };
  const { outputFiles } = await build({ stdin, bundle: true, write: false, format: "esm", platform: target });
  return outputFiles[0]!.text;
}

async function serverExample(): Promise<(corsOrigin: string) => Promise<string>> {
  const { username, password } = platform.settings.secrets;
  const env = { SLUICE_BASE_URL: platform.baseUrl, SLUICE_ACCESS_TOKEN: username, SLUICE_SECRET_KEY: password };
  const file = join(folder, "server.mjs");
  await writeFile(file, await bundled("Upload from a browser", "node"));
  Object.assign(process.env, env); // read when the module is loaded
  try {
    const { href } = pathToFileURL(file);
    return ((await import(href)) as { newUpload: (corsOrigin: string) => Promise<string> }).newUpload;
  } finally {
    for (const name of Object.keys(env)) delete process.env[name];
  }
}

async function openPage(): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(origin);
  return { page, complaints };
}
const isUploaded = () => document.title === "Uploaded";
const uploadId = () => new URL(uploadUrl).pathname.split("/").at(-1)!;

test("a page of another origin uploads a file in chunks, with progress, and the media is processed", async () => {
  const { page, complaints } = await openPage();
  const ranges: string[] = [];
  page.on("request", (request) => {
    const range = request.headers()["content-range"];
    if (request.method() === "PUT" && range !== undefined) ranges.push(range);
  });
  await page.setInputFiles("input", FILM);
  await page.waitForFunction(isUploaded);
  expect(ranges).toEqual(["bytes */1128375", "bytes 0-1048575/1128375", "bytes 1048576-1128374/1128375"]);
  expect(await page.evaluate(() => document.querySelector("progress")!.value)).toBe(1);
  expect(complaints).toEqual([]);
  const media = await platform.until(uploadId(), isReady);
  expect(media.duration).toBe("00:00:05");
  await page.close();
});

test("an upload continues in the page when the connection was lost after a chunk", async () => {
  const { page, complaints } = await openPage();
  let lost = 0;
  await page.route("**/uploads/**", async (route) => {
    const isSecond = route.request().headers()["content-range"]?.startsWith("bytes 1048576-") ?? false;
    if (!isSecond || lost > 1) return await route.continue();
    lost += 1;
    return await route.abort("connectionreset");
  });
  await page.setInputFiles("input", FILM);
  await page.waitForFunction(isUploaded);
  expect([lost, complaints]).toEqual([2, []]);
  expect((await platform.until(uploadId(), isReady)).duration).toBe("00:00:05");
  await page.close();
});
