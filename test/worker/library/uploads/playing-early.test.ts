/** An upload whose index is in front plays while it is coming in. */
import { env, runInDurableObject } from "cloudflare:test";
import { beforeAll, expect, test } from "vitest";
import type { UploadMachine } from "../../../../durable-objects/upload-machine.ts";
import { assetPrefix } from "../../../../src/platform/storage/keys.ts";
import { newWorkspace, type TestWorkspace } from "../../workspace.ts";
import { eventsOf, until } from "../../events/webhooks/webhook-rows.ts";
import { call, elapse, FILM, machineOf, newUpload, putRange, storedKeys } from "./upload-helpers.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const get = (path: string) => call("GET", `http://sluice.test/${path}`);
const textOf = async (path: string) => {
  const answer = await get(path);
  return answer.status === 200 ? await answer.text() : `${answer.status}`;
};
const untilListed = (path: string, isGood: (text: string) => boolean) => until(() => textOf(path), isGood);
const segmentsIn = (playlist: string) => playlist.match(/\d+\.m4s/g)?.length ?? 0;
/** Reads of the upload's bytes wait in its machine. */
const untilHeld = (uploadId: string, reads = 1) =>
  until(
    () => runInDurableObject(machineOf(uploadId) as never, ({ components }: UploadMachine) => components.waits.size),
    (size) => size === reads,
  );
const statusOf = async (id: string) => (await workspace.request("GET", `/v1/on-demand/${id}`)).status;
const isListed = async (id: string) => {
  const { data } = await (await workspace.request("GET", "/v1/on-demand?limit=50")).json<{ data: { id: string }[] }>();
  return data.some((media) => media.id === id);
};

test("it does not, when a key frame of the first segments is none", async () => {
  const { uploadId, playbackId, url } = await newUpload(workspace);
  const film = FILM.slice();
  const secondKey = 72_255;
  expect(film[secondKey + 4]! & 31).toBe(5); // the slice of a key frame
  film[secondKey + 4] = 1 | (3 << 5);
  await putRange(url, film, 0, 400_000);
  await until(() => isListed(uploadId), Boolean);
  expect(segmentsIn(await textOf(`${playbackId}/source-v.m3u8`))).toBe(0);
});

test("its segments are listed as their bytes arrive, and are those of the whole file", async () => {
  const { uploadId, playbackId, url } = await newUpload(workspace);
  const list = `${playbackId}/source-v.m3u8`;
  await putRange(url, FILM, 0, 262_143);
  expect(await isListed(uploadId)).toBe(false); // the probe reads 256 KiB
  await putRange(url, FILM, 262_143, 400_000);
  const early = await untilListed(list, (text) => segmentsIn(text) > 0);
  expect(await isListed(uploadId)).toBe(true);
  expect(early).toContain("#EXT-X-PLAYLIST-TYPE:EVENT");
  expect(early).not.toContain("#EXT-X-ENDLIST");
  const first = new Uint8Array(await (await get(`${playbackId}/source-v/0.m4s`)).arrayBuffer());
  const { data } = await (await workspace.request("GET", `/v1/on-demand/${uploadId}`)).json<{ data: object }>();
  expect(data).toMatchObject({ status: "Downloading", playbackIds: [{ id: playbackId }] });
  expect((await eventsOf(uploadId)).map(({ type }) => type)).toEqual(["video.media.upload"]);

  // What is not listed is not there yet. It is held, and answered as soon as its bytes are stored.
  const next = `${playbackId}/source-v/${segmentsIn(early)}.m4s`;
  const held = get(next);
  await untilHeld(uploadId);
  let hasReloaded = false;
  const reload = textOf(`${list}?_HLS_msn=${segmentsIn(early)}`).finally(() => (hasReloaded = true));
  expect(await textOf(`${list}?_HLS_msn=${segmentsIn(early) - 1}`)).toBe(early);
  expect(await textOf(`${list}?_HLS_msn=last`)).toBe("400");
  expect(hasReloaded).toBe(false);
  await putRange(url, FILM, 400_000, FILM.byteLength);
  expect(segmentsIn(await reload)).toBeGreaterThan(segmentsIn(early));
  const answered = await held;
  expect([answered.status, answered.headers.get("content-type")]).toEqual([200, "video/mp4"]);
  expect(await answered.bytes()).toEqual(await (await get(next)).bytes());
  const whole = await untilListed(list, (text) => text.includes("#EXT-X-ENDLIST"));
  expect(segmentsIn(whole)).toBeGreaterThan(segmentsIn(early));
  expect(whole).toContain("#EXT-X-PLAYLIST-TYPE:VOD");
  expect(await textOf(`${list}?_HLS_msn=1000`)).toBe(whole); // a complete playlist holds nobody
  const targetOf = (text: string) => /TARGETDURATION:(\d+)/.exec(text)![1];
  expect(targetOf(early)).toBe(targetOf(whole));
  expect(new Uint8Array(await (await get(`${playbackId}/source-v/0.m4s`)).arrayBuffer())).toEqual(first);
  expect((await eventsOf(uploadId)).map(({ type }) => type)).toEqual([
    "video.media.upload",
    "video.upload.media_created",
  ]);

  // Another upload of the same file, in one request, has the same segments.
  const other = await newUpload(workspace);
  await call("PUT", other.url, {}, FILM);
  await untilListed(`${other.playbackId}/source-v.m3u8`, (text) => text.includes("#EXT-X-ENDLIST"));
  for (const file of ["source-v/0.m4s", `source-v/${segmentsIn(whole) - 1}.m4s`, "source-a1/0.m4s"]) {
    const [one, two] = [await get(`${playbackId}/${file}`), await get(`${other.playbackId}/${file}`)];
    expect([one.status, two.status]).toEqual([200, 200]);
    expect(await one.text()).toBe(await two.text());
  }
});

test("a segment that is held when the upload is cancelled is 503 at once, with the time of the next try", async () => {
  const { uploadId, playbackId, url } = await newUpload(workspace);
  await putRange(url, FILM, 0, 400_000);
  const early = await untilListed(`${playbackId}/source-v.m3u8`, (text) => segmentsIn(text) > 0);
  const path = `${playbackId}/source-v/${segmentsIn(early)}.m4s`;
  const answerOf = async (request: Promise<Response>) => {
    const { status, headers } = await request;
    return [status, headers.get("retry-after"), headers.get("cache-control")];
  };
  const held = Promise.all([answerOf(get(path)), answerOf(get(path))]);
  await untilHeld(uploadId, 2);
  await workspace.request("PUT", `/v1/on-demand/upload/${uploadId}/cancel`);
  for (const answer of await held) expect(answer).toEqual([503, "2", "no-store"]);
});

test("its media is deleted when it is cancelled, and no event announces a media", async () => {
  const { uploadId, playbackId, url } = await newUpload(workspace);
  await putRange(url, FILM, 0, 400_000);
  await untilListed(`${playbackId}/source-v.m3u8`, (text) => segmentsIn(text) > 0);
  await workspace.request("PUT", `/v1/on-demand/upload/${uploadId}/cancel`);
  expect(await statusOf(uploadId)).toBe(404);
  expect((await eventsOf(uploadId)).map(({ type }) => type)).toEqual([
    "video.media.upload",
    "video.media.upload.cancelled",
  ]);
  await until(
    () => env.MEDIA.list({ prefix: assetPrefix(uploadId) }),
    ({ objects }) => objects.length === 0,
  );
});

test("its upload ends when its media is deleted", async () => {
  const { uploadId, playbackId, url } = await newUpload(workspace);
  await putRange(url, FILM, 0, 400_000);
  await untilListed(`${playbackId}/source-v.m3u8`, (text) => segmentsIn(text) > 0);
  expect((await workspace.request("DELETE", `/v1/on-demand/${uploadId}`)).status).toBe(200);
  expect((await putRange(url, FILM, 400_000, FILM.byteLength)).status).toBe(410);
  expect(await statusOf(uploadId)).toBe(404);
});

test("the media of a file whose index is at its end is listed when the file is complete", async () => {
  const { uploadId, url } = await newUpload(workspace);
  const turned = moovLast(FILM);
  await putRange(url, turned, 0, 500_000);
  await elapse(uploadId, 0);
  expect(await isListed(uploadId)).toBe(false);
  await putRange(url, turned, 500_000, turned.byteLength);
  expect(await isListed(uploadId)).toBe(true);
  expect(await storedKeys(uploadId)).toContain("pieces.json");
});

/** The same boxes with `moov` last. The positions in it are wrong then, which only its playback would show. */
function moovLast(file: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const view = new DataView(file.buffer);
  const boxes: { type: string; bytes: Uint8Array }[] = [];
  for (let at = 0; at < file.byteLength; at += view.getUint32(at)) {
    const type = String.fromCharCode(...file.subarray(at + 4, at + 8));
    boxes.push({ type, bytes: file.subarray(at, at + view.getUint32(at)) });
  }
  const sorted = [...boxes.filter(({ type }) => type !== "moov"), ...boxes.filter(({ type }) => type === "moov")];
  return new Uint8Array(sorted.flatMap(({ bytes }) => [...bytes]));
}
