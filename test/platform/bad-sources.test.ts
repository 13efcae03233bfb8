/** Every kind of bad source ends in an errored asset with its cause, and the platform continues. */
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isFailed, isReady, startTestPlatform, type TestPlatform } from "../support/platform.ts";
import { makeSource } from "../support/sources.ts";
import { bufferContent, fileContent, virtualContent } from "../support/source-content.ts";
import { type SourceBehaviour, type SourceServer, startSourceServer } from "../support/source-server.ts";

let server: SourceServer;
let tlsServer: SourceServer;
let platform: TestPlatform;

beforeAll(async () => {
  server = await startSourceServer();
  tlsServer = await startSourceServer({ tls: true });
  // Retry waits are a hundredth of their normal length, so that the last retry fails within seconds.
  platform = await startTestPlatform({ vars: { SOURCE_RETRY_SCALE: "0.01", MAX_SOURCE_BYTES: String(50_000_000) } });
});
afterAll(async () => {
  await platform.stop();
  await platform.removeHome();
  await Promise.all([server.stop(), tlsServer.stop()]);
});

const text = (content: string): SourceBehaviour => ({ kind: "content", content: bufferContent(Buffer.from(content)) });
const html = `<!doctype html><html><body>${"<p>not a film</p>".repeat(500)}</body></html>`;
const zip = Buffer.concat([Buffer.from("504b0304140000000800", "hex"), Buffer.alloc(4000, 7)]);
/** A PNG is media to libav, but not a video. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
const content = (bytes: Uint8Array): SourceBehaviour => ({ kind: "content", content: bufferContent(bytes) });

const CASES: [string, SourceBehaviour, string][] = [
  ["404", { kind: "status", status: 404 }, "source_not_found"],
  ["403", { kind: "status", status: 403 }, "source_denied"],
  ["500 again and again", { kind: "status", status: 500 }, "source_unavailable"],
  ["a redirect in a circle", { kind: "redirect", location: "/a-redirect-in-a-circle" }, "source_too_many_redirects"],
  ["a connection that is closed at once", { kind: "hangUp" }, "source_unreachable"],
  ["more bytes than the limit", { kind: "content", content: virtualContent(50_000_001) }, "source_too_large"],
  ["an empty body", text(""), "source_empty"],
  ["a web page", text(html), "source_not_media"],
  ["a zip file", content(zip), "source_not_media"],
  ["plain text", text("just some words\n".repeat(300)), "source_not_media"],
  ["a picture", content(png), "source_not_media"],
  ["an encrypted film", content(await readFile(await makeSource("encrypted-mp4"))), "source_encrypted"],
];

describe("an asset is errored, with the cause and whose fault it is, when its source is", () => {
  test.each(CASES)("%s", async (name, behaviour, code) => {
    const path = `/${name.replaceAll(" ", "-")}`;
    server.add(path, behaviour);
    const { assetId, playbackId } = await platform.create(server.url(path));
    const { error } = await platform.until(assetId, isFailed);
    expect(error).toMatchObject({ code, fault: "source" });
    expect(error?.message.length).toBeGreaterThan(20);
    const manifest = await fetch(`${platform.baseUrl}/${playbackId}.m3u8`);
    expect(manifest.status).toBe(404);
  });

  test("behind an untrusted certificate", async () => {
    tlsServer.add("/film", text("x"));
    const { assetId } = await platform.create(tlsServer.url("/film"));
    expect((await platform.until(assetId, isFailed)).error?.code).toBe("source_tls_failed");
  });

  test("at an unknown host name", async () => {
    const { assetId } = await platform.create("http://no-such-host.invalid/film.mp4");
    expect((await platform.until(assetId, isFailed)).error?.code).toBe("source_unresolvable");
  });
});

test("a source without ranges and of unknown length becomes ready", async () => {
  const film = await fileContent("test/fixtures/friday.mp4");
  server.add("/streamed", { kind: "content", content: film, ranges: false, announceLength: false });
  const { assetId } = await platform.create(server.url("/streamed"));
  expect((await platform.until(assetId, isReady)).duration).toBe("00:00:06");
});

test("a download that is interrupted continues where it stopped", async () => {
  const film = await fileContent("test/fixtures/friday.mp4");
  server.add("/broken", { kind: "content", content: film, resetAfterBytes: 200_000, ranges: true });
  const { assetId } = await platform.create(server.url("/broken"));
  await expect.poll(() => server.requests.filter(({ path }) => path === "/broken").length).toBeGreaterThan(1);
  server.add("/broken", { kind: "content", content: film });
  expect((await platform.until(assetId, isReady)).status).toBe("Ready");
});

test("a part of a source becomes an asset of that part", async () => {
  server.add("/film", { kind: "content", content: await fileContent("test/fixtures/friday.mp4") });
  const { status, body } = await platform.api("POST", "/v1/on-demand", {
    inputs: [{ type: "video", url: server.url("/film"), startTime: 1, endTime: 4 }],
    accessPolicy: "public",
  });
  expect(status).toBe(201);
  expect((await platform.until(body.data.id, isReady)).duration).toBe("00:00:03");
});

test("a name that resolves to a private address is refused when private networks are closed", async () => {
  const closed = await startTestPlatform({ vars: { SOURCE_RETRY_SCALE: "0.01" }, allowPrivateNetwork: false });
  try {
    const { assetId } = await closed.create(`http://${hostname()}:${server.port}/film`);
    expect((await closed.until(assetId, isFailed)).error).toMatchObject({ code: "source_forbidden", fault: "source" });
    const literal = await closed.api("POST", "/v1/on-demand", {
      inputs: [{ type: "video", url: server.url("/film") }],
      accessPolicy: "public",
    });
    expect(literal.status).toBe(422);
  } finally {
    await closed.stop();
    await closed.removeHome();
  }
});
