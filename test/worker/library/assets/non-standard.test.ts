/** `video.media.non_standard_format.detected`: what a source has that cannot be delivered as it is. */
import { beforeAll, expect, test } from "vitest";
import { eventsOf, until } from "../../events/webhooks/webhook-rows.ts";
import { type MediaAnswer, newWorkspace, type TestWorkspace, videoFrom } from "../../workspace.ts";
import { openSourceServer } from "../sources/source-servers.ts";
import { call, FILM, newUpload, putRange } from "../uploads/upload-helpers.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const DETECTED = "video.media.non_standard_format.detected";
const typesOf = async (id: string) => (await eventsOf(id)).map(({ type }) => type);
const dataOf = async (id: string, type: string) => {
  const { body } = (await eventsOf(id)).find((event) => event.type === type)!;
  return (JSON.parse(`{${body}`) as { data: Record<string, unknown> }).data;
};
const create = async (body: object) =>
  (await (await workspace.request("POST", "/v1/on-demand", body)).json<MediaAnswer>()).data.id;
const statusOf = async (id: string) =>
  (await (await workspace.request("GET", `/v1/on-demand/${id}`)).json<{ data: { status: string } }>()).data.status;
const untilValidated = (id: string) =>
  until(
    () => statusOf(id),
    (status) => status === "Validating",
  );

/** The same film, with the parameters of its video in the stream: a format of which segments are not cut. */
function inTheStream(): Uint8Array<ArrayBuffer> {
  const film = FILM.slice();
  const at = new TextDecoder("latin1").decode(film.subarray(0, 100_000)).indexOf("avc1", 100);
  film.set(new TextEncoder().encode("avc3"), at);
  return film;
}

test("a source that is no MP4 is announced once, with the reason and the media's record", async () => {
  const server = await openSourceServer();
  const url = await server.add("/notes", { kind: "content", text: "a text is not a film" });
  const id = await create({ ...videoFrom(url), title: "Notes" });
  await untilValidated(id);
  expect(await typesOf(id)).toEqual(["asset.created", DETECTED]);
  expect(await dataOf(id, DETECTED)).toMatchObject({
    id,
    title: "Notes",
    status: "Downloading",
    reason: "not an MP4 or MOV file",
  });
});

test("a standard source is not announced, and neither is one of which only a range was requested", async () => {
  const { uploadId, url } = await newUpload(workspace);
  await call("PUT", url, {}, FILM);
  await untilValidated(uploadId);
  expect(await typesOf(uploadId)).not.toContain(DETECTED);

  const server = await openSourceServer();
  const range = videoFrom(await server.add("/range", { kind: "content", text: "a text is not a film" }));
  const id = await create({ inputs: [{ ...range.inputs[0], startTime: 1, endTime: 2 }] });
  await untilValidated(id);
  expect(await typesOf(id)).toEqual(["asset.created"]);
});

test("an upload that was looked at while it was coming in is announced after its media", async () => {
  const film = inTheStream();
  const { uploadId, url } = await newUpload(workspace);
  await putRange(url, film, 0, 400_000);
  await until(
    () => statusOf(uploadId),
    (status) => status === "Downloading",
  );
  expect(await typesOf(uploadId)).toEqual(["video.media.upload"]);
  await putRange(url, film, 400_000, film.byteLength);
  const types = await until(
    () => typesOf(uploadId),
    (all) => all.includes(DETECTED),
  );
  expect(types).toEqual(["video.media.upload", "video.upload.media_created", DETECTED]);
  expect(await dataOf(uploadId, DETECTED)).toMatchObject({
    reason: "video that is not H.264, or with its parameters in the stream",
  });
});
