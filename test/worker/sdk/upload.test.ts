/** Uploads by the SDK in workerd, over a network that fails. */
import { env } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { sendFile, type Sluice } from "../../../sdk/index.ts";
import { openStoredSource } from "../../../src/library/sources/stored-source.ts";
import { FILM, newUpload, someBytes } from "../library/uploads/upload-helpers.ts";
import { newWorkspace, type TestWorkspace } from "../workspace.ts";
import { clientOf, type Fault, networkOf } from "./network.ts";

let workspace: TestWorkspace;
let sluice: Sluice;
beforeAll(async () => {
  workspace = await newWorkspace();
  sluice = clientOf(workspace);
});

/** The bytes of a media's source in R2. */
async function storedBytes(mediaId: string): Promise<Uint8Array> {
  const source = (await openStoredSource(env, mediaId))!;
  return new Uint8Array(await new Response(await source.open(0, source.size)).arrayBuffer());
}

/** In pieces that do not match the chunks. */
const streamOf = (bytes: Uint8Array) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.byteLength; at += 70_001) controller.enqueue(bytes.slice(at, at + 70_001));
      controller.close();
    },
  });

const file = FILM.slice(0, 300_000);
const chunkBytes = 100_000;

describe("every byte arrives in its place", () => {
  const faults: [string, (number: number) => Fault][] = [
    ["without a failure", () => null],
    ["when a chunk is lost", (number) => (number === 3 ? "lost" : null)],
    ["when the answer to a chunk is lost", (number) => (number === 3 ? "answer lost" : null)],
    ["when the answer to the last chunk is lost", (number) => (number === 4 ? "answer lost" : null)],
    ["when the first question is lost", (number) => (number === 1 ? "lost" : null)],
    ["when a chunk is answered 503", (number) => (number === 2 ? new Response(null, { status: 503 }) : null)],
    ["when two in a row are lost", (number) => (number === 2 || number === 3 ? "lost" : null)],
  ];
  test.each(faults)("of a blob, %s", async (_, faultOf) => {
    const { uploadId, url } = await newUpload(workspace);
    const { fetch } = networkOf(faultOf);
    await sendFile(url, new Blob([file]), { chunkBytes, fetch });
    expect(await storedBytes(uploadId)).toEqual(file);
  });
  test.each(faults)("of a stream, %s", async (_, faultOf) => {
    const { uploadId, url } = await newUpload(workspace);
    const { fetch } = networkOf(faultOf);
    await sendFile(url, streamOf(file), { chunkBytes, fetch });
    expect(await storedBytes(uploadId)).toEqual(file);
  });
});

test("`upload` creates the upload with the media's settings, and reports each chunk", async () => {
  const progress: [number, number | null][] = [];
  const { mediaId, playbackId } = await sluice.upload(new Blob([file]), {
    chunkBytes,
    settings: { title: "Friday" },
    onProgress: ({ sentBytes, totalBytes }) => progress.push([sentBytes, totalBytes]),
  });
  expect(progress).toEqual([0, 100_000, 200_000, 300_000].map((sentBytes) => [sentBytes, 300_000]));
  const { data } = await sluice.get("/v1/on-demand/{mediaId}", { params: { path: { mediaId } } });
  expect([data.title, data.playbackIds[0]?.id]).toEqual(["Friday", playbackId]);
});

test("`upload` passes on what the API says of misspelt settings", async () => {
  const settings = { titel: "Friday" } as object;
  const { warnings } = await sluice.upload(new Blob([file]), { chunkBytes, settings });
  expect(warnings).toEqual([
    { field: "pushMediaSettings.titel", message: "unknown field `titel`; did you mean `title`?" },
  ]);
  expect(await sluice.upload(new Blob([file]), { chunkBytes })).not.toHaveProperty("warnings");
});

describe("an upload that was stopped", () => {
  test("continues where it was, with the same URL and file", async () => {
    const { uploadId, url } = await newUpload(workspace);
    const controller = new AbortController();
    const stopped = sendFile(url, new Blob([file]), {
      chunkBytes,
      fetch: networkOf().fetch,
      signal: controller.signal,
      onProgress: ({ sentBytes }) => sentBytes === 200_000 && controller.abort(new Error("paused")),
    });
    await expect(stopped).rejects.toThrow("paused");
    const network = networkOf();
    await sendFile(url, new Blob([file]), { chunkBytes, fetch: network.fetch });
    expect(network.requests).toEqual(["PUT bytes */300000", "PUT bytes 200000-299999/300000"]);
    expect(await storedBytes(uploadId)).toEqual(file);
  });

  test("stops also while the stream has nothing to read", async () => {
    const { url } = await newUpload(workspace);
    const controller = new AbortController();
    const stopped = sendFile(url, new ReadableStream<Uint8Array>(), {
      fetch: networkOf().fetch,
      signal: controller.signal,
      onProgress: () => setTimeout(() => controller.abort(new Error("paused"))),
    });
    await expect(stopped).rejects.toThrow("paused");
  });

  test("does not continue with another file", async () => {
    const { url } = await newUpload(workspace);
    const { fetch } = networkOf((number) => (number === 3 ? new Response(null, { status: 403 }) : null));
    await expect(sendFile(url, new Blob([file]), { chunkBytes, fetch })).rejects.toMatchObject({ status: 403 });
    const other = sendFile(url, new Blob([someBytes(200_000)]), { fetch: networkOf().fetch });
    await expect(other).rejects.toThrow("the upload has begun with a file of 300000 bytes");
  });

  test("cannot continue from a stream that begins again later", async () => {
    const { url } = await newUpload(workspace);
    const { fetch } = networkOf((number) => (number === 3 ? new Response(null, { status: 403 }) : null));
    await expect(sendFile(url, streamOf(file), { chunkBytes, fetch })).rejects.toMatchObject({ status: 403 });
    const again = sendFile(url, streamOf(file), { chunkBytes: 50_000, fetch: networkOf().fetch });
    await expect(again).rejects.toThrow("a stream cannot be read again");
  });

  test("ends with an ApiError when it was cancelled meanwhile", async () => {
    const { uploadId, url } = await newUpload(workspace);
    await sluice.put("/v1/on-demand/upload/{uploadId}/cancel", { params: { path: { uploadId } } });
    const call = sendFile(url, new Blob([file]), { fetch: networkOf().fetch });
    await expect(call).rejects.toMatchObject({ name: "ApiError", status: 410 });
  });
});

test("sending ends after the given number of repetitions without progress", async () => {
  const { url } = await newUpload(workspace);
  const network = networkOf((number) => (number > 2 ? "lost" : null));
  const call = sendFile(url, new Blob([file]), { chunkBytes, fetch: network.fetch, retries: 2 });
  await expect(call).rejects.toMatchObject({ name: "ConnectionError" });
  expect(network.requests).toHaveLength(5);
});

test("after a lost answer it asks what is stored, instead of sending the chunk again", async () => {
  const { url } = await newUpload(workspace);
  const network = networkOf((number) => (number === 2 ? "answer lost" : null));
  await sendFile(url, new Blob([file]), { chunkBytes: 200_000, fetch: network.fetch });
  expect(network.requests).toEqual([
    "PUT bytes */300000",
    "PUT bytes 0-199999/300000",
    "PUT bytes */300000",
    "PUT bytes 200000-299999/300000",
  ]);
});

test("a chunk that is answered but never stored is not sent forever", async () => {
  const { url } = await newUpload(workspace);
  const network = networkOf((number) => (number % 2 === 0 ? new Response(null, { status: 308 }) : null));
  const call = sendFile(url, new Blob([file]), { chunkBytes, fetch: network.fetch, retries: 1 });
  await expect(call).rejects.toThrow("the upload does not take the file");
  expect(network.requests).toHaveLength(4);
});

test("the repetitions are counted anew after progress", async () => {
  const { uploadId, url } = await newUpload(workspace);
  const lost = new Set([2, 5, 8]); // each chunk once: it is lost, then the question, then it is sent again
  const network = networkOf((number) => (lost.has(number) ? "lost" : null));
  await sendFile(url, new Blob([file]), { chunkBytes, fetch: network.fetch, retries: 1 });
  expect(await storedBytes(uploadId)).toEqual(file);
});

test.each([
  ["blob", () => new Blob([])],
  ["stream", () => streamOf(new Uint8Array(0))],
])("an empty %s is refused", async (_, empty) => {
  const { url } = await newUpload(workspace);
  await expect(sendFile(url, empty(), { fetch: networkOf().fetch })).rejects.toThrow("the file is empty");
});

test.each([
  ["a path", "film.mp4"],
  ["bytes", new Uint8Array(10)],
  ["nothing", undefined],
])("%s instead of a file is refused before an upload is created", async (_, file) => {
  const waiting = async () => (await sluice.get("/v1/on-demand/uploads")).pagination.totalRecords;
  const before = await waiting();
  await expect(sluice.upload(file as unknown as Blob)).rejects.toThrow(
    "must be a Blob, a ReadableStream, or what openFile",
  );
  expect(await waiting()).toBe(before);
});

test("waiting for a media ends when its upload was cancelled", async () => {
  const { uploadId } = await newUpload(workspace);
  const waiting = sluice.waitUntilReady(uploadId);
  await sluice.put("/v1/on-demand/upload/{uploadId}/cancel", { params: { path: { uploadId } } });
  await expect(waiting).rejects.toMatchObject({ name: "MediaFailedError", code: "upload_cancelled" });
});

test("waiting for a media that does not exist ends with a 404", async () => {
  await expect(sluice.waitUntilReady(crypto.randomUUID())).rejects.toMatchObject({ name: "ApiError", status: 404 });
});
