import { beforeAll, describe, expect, test } from "vitest";
import type { SourceEnv, SourceLimits } from "../../../../src/library/sources/limits.ts";
import { openHttpSource } from "../../../../src/library/sources/http-range-reader.ts";
import { fetchSource } from "../../../../src/library/sources/safe-fetch.ts";
import { SourceError } from "../../../../src/library/sources/source-errors.ts";
import type { RemoteBehaviour } from "../../../support/source-commands.ts";
import { openSourceServer, type RemoteServer } from "./source-servers.ts";

const env: SourceEnv = { ALLOW_PRIVATE_NETWORK: "true", MAX_SOURCE_BYTES: "1000000" };
/** For sources that fall silent. All others get the product's time limits, because a busy machine is silent too. */
const impatient: Partial<SourceLimits> = { headersMs: 300, idleMs: 300 };
let server: RemoteServer;
beforeAll(async () => {
  server = await openSourceServer();
});

/** Reads a source to its end, as a copy does, and returns its failure. */
async function failureOf(url: string, limits?: Partial<SourceLimits>): Promise<SourceError> {
  try {
    const source = await openHttpSource(env, url, {
      ...(limits && { limits }),
      firstBytes: 65_536,
      blockBytes: 65_536,
    });
    await source.read(0, source.size ?? Infinity);
  } catch (error) {
    if (error instanceof SourceError) return error;
    throw error;
  }
  throw new Error("the source was read without a failure");
}

const cases: [string, RemoteBehaviour, string][] = [
  ["404", { kind: "status", status: 404 }, "source_not_found"],
  ["410", { kind: "status", status: 410 }, "source_not_found"],
  ["401", { kind: "status", status: 401 }, "source_denied"],
  ["403", { kind: "status", status: 403 }, "source_denied"],
  ["429", { kind: "status", status: 429 }, "source_unavailable"],
  ["500", { kind: "status", status: 500 }, "source_unavailable"],
  ["503", { kind: "status", status: 503, headers: { "retry-after": "7" } }, "source_unavailable"],
  ["418", { kind: "status", status: 418 }, "source_bad_status"],
  ["204", { kind: "status", status: 204 }, "source_empty"],
  ["304, which nobody asked for", { kind: "status", status: 304 }, "source_bad_status"],
  ["a redirect to nowhere", { kind: "status", status: 302 }, "source_bad_status"],
  ["a redirect to another scheme", { kind: "redirect", location: "file:///etc/passwd" }, "source_forbidden"],
  ["a redirect with credentials", { kind: "redirect", location: "http://a:b@127.0.0.1/" }, "source_forbidden"],
  ["a redirect to itself", { kind: "redirect", location: "/a%20redirect%20to%20itself" }, "source_too_many_redirects"],
  ["silence before the headers", { kind: "hang" }, "source_timed_out"],
  ["a hang-up before the headers", { kind: "hangUp" }, "source_unreachable"],
  ["something that is not HTTP", { kind: "raw", text: "SSH-2.0-OpenSSH_9.2\r\n" }, "source_unreachable"],
  ["an empty file", { kind: "content", text: "" }, "source_empty"],
  ["an empty file without ranges", { kind: "content", text: "", ranges: false }, "source_empty"],
  [
    "an empty file of no announced length",
    { kind: "content", text: "", ranges: false, announceLength: false },
    "source_empty",
  ],
  ["silence midway", { kind: "content", sizeBytes: 50_000, hangAfterBytes: 1000 }, "source_timed_out"],
  ["a reset midway", { kind: "content", sizeBytes: 50_000, resetAfterBytes: 1000 }, "source_interrupted"],
  [
    "a reset midway of a chunked body",
    { kind: "content", sizeBytes: 50_000, ranges: false, announceLength: false, resetAfterBytes: 1000 },
    "source_interrupted",
  ],
  [
    "less than the range announced",
    { kind: "content", sizeBytes: 50_000, announceLength: false, endAfterBytes: 1000 },
    "source_length_mismatch",
  ],
  ["another range than asked for", { kind: "content", sizeBytes: 50_000, rangeShift: 10 }, "source_length_mismatch"],
  ["a file above the limit", { kind: "content", sizeBytes: 1_000_001 }, "source_too_large"],
  [
    "a file above the limit, without ranges",
    { kind: "content", sizeBytes: 1_000_001, ranges: false },
    "source_too_large",
  ],
];

describe("every fault of a source has its error code", () => {
  test.each(cases)("%s", async (name, behaviour, code) => {
    const path = `/${encodeURIComponent(name)}`;
    const url = await server.add(path, behaviour);
    const limits = code === "source_timed_out" ? impatient : undefined;
    expect(await failureOf(url, limits)).toMatchObject({ code });
  });
});

test("Retry-After is passed on in milliseconds", async () => {
  const url = await server.add("/wait", { kind: "status", status: 503, headers: { "retry-after": "7" } });
  expect(await failureOf(url)).toMatchObject({ retryable: true, retryAfterMs: 7000 });
});

test("a port without a listener is source_unreachable", async () => {
  const gone = await openSourceServer();
  await gone.stop();
  expect(await failureOf(`${gone.origin}/a`)).toMatchObject({ code: "source_unreachable", retryable: true });
});

test("an untrusted certificate is source_tls_failed", async () => {
  const tls = await openSourceServer({ tls: true });
  await tls.add("/a", { kind: "content", sizeBytes: 10 });
  expect(await failureOf(`${tls.origin}/a`)).toMatchObject({ code: "source_tls_failed", retryable: false });
});

test("a port without TLS is source_tls_failed", async () => {
  expect(await failureOf(`${server.origin.replace("http:", "https:")}/a`)).toMatchObject({ code: "source_tls_failed" });
});

test("a file whose ETag changes before the second request is source_length_mismatch", async () => {
  const url = await server.add("/changes", { kind: "content", sizeBytes: 500_000, etag: '"one"' });
  const source = await openHttpSource(env, url, { firstBytes: 65_536, blockBytes: 65_536 });
  await server.add("/changes", { kind: "content", sizeBytes: 500_000, etag: '"two"' });
  await expect(source.read(200_000, 10)).rejects.toMatchObject({ code: "source_length_mismatch" });
});

test("a file of which only the size changes is source_length_mismatch", async () => {
  const url = await server.add("/grows", { kind: "content", sizeBytes: 500_000 });
  const source = await openHttpSource(env, url, { firstBytes: 65_536, blockBytes: 65_536 });
  await server.add("/grows", { kind: "content", sizeBytes: 500_001 });
  await expect(source.read(200_000, 10)).rejects.toMatchObject({ code: "source_length_mismatch" });
});

test("a slow server that never falls silent is read to its end", async () => {
  const trickle = { bytes: 100, intervalMs: 600 };
  const url = await server.add("/trickle", { kind: "content", sizeBytes: 700, trickle });
  const source = await openHttpSource(env, url, { limits: { idleMs: 3000 } }); // shorter than the whole download
  expect((await source.read(0, 700)).byteLength).toBe(700);
});

test("five redirects are followed and a sixth is not", async () => {
  await server.add("/hop0", { kind: "content", text: "here" });
  for (let hop = 1; hop <= 6; hop++) await server.add(`/hop${hop}`, { kind: "redirect", location: `/hop${hop - 1}` });
  const answer = await fetchSource(env, `${server.origin}/hop5`);
  expect(new TextDecoder().decode((await answer.body.read()) ?? undefined)).toBe("here");
  expect(await failureOf(`${server.origin}/hop6`)).toMatchObject({ code: "source_too_many_redirects" });
});

test("a caller that aborts gets its own reason, not a fault of the source", async () => {
  const url = await server.add("/patience", { kind: "hang" });
  const reason = new Error("deleted meanwhile");
  await expect(fetchSource(env, url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

test("no message contains the URL or its credentials", async () => {
  const url = await server.add("/secret", { kind: "status", status: 403 });
  const { message } = await failureOf(`${url}?token=hunter2`);
  expect(message).not.toMatch(/hunter2|127\.0\.0\.1|secret/);
});
