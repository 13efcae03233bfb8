/** A field that a request for a stream may have is stored and answered. The fields are read from the schemas, so a new one fails until it is tried here. */
import { expect, test } from "vitest";
import { EventStream } from "../../../src/events/catalogue/live.ts";
import { InputMediaSettings, StreamRecordSchema, UpdateStream } from "../../../src/live/streams/schemas.ts";
import { isLater } from "../../../src/platform/http/hints/later.ts";
import { newWorkspace } from "../workspace.ts";

/** Values that differ from the defaults. `drmConfigurationId` has tests of its own (`tenancy/drm/configurations.test.ts`). */
const SETTINGS = {
  maxResolution: "480p",
  reconnectWindow: 120,
  mediaPolicy: "private",
  metadata: { season: "1" },
  enableDvrMode: true,
  enableRecording: false,
  allowViewerClips: true,
  latencyMode: "standard",
  maxDuration: 600,
};
const CHANGE = { metadata: { season: "2" }, reconnectWindow: 90, allowViewerClips: false };

const read = async (response: Promise<Response>) =>
  (await (await response).json<{ data: Record<string, unknown> }>()).data;

test("each setting of a stream, and each change, is shown by the stream", async () => {
  const { shape } = InputMediaSettings;
  const fields = Object.entries(shape).filter(([, schema]) => !isLater(schema));
  expect(fields.map(([name]) => name).toSorted()).toEqual([...Object.keys(SETTINGS), "drmConfigurationId"].toSorted());
  expect(Object.keys(UpdateStream.shape)).toEqual(Object.keys(CHANGE));

  const workspace = await newWorkspace();
  const created = await read(workspace.request("POST", "/v1/live/streams", { inputMediaSettings: SETTINGS }));
  const path = `/v1/live/streams/${String(created["streamId"])}`;
  expect(await read(workspace.request("GET", path))).toMatchObject(SETTINGS);
  for (const [name, value] of Object.entries(CHANGE)) await workspace.request("PATCH", path, { [name]: value });
  expect(await read(workspace.request("GET", path))).toMatchObject({ ...SETTINGS, ...CHANGE });
});

test("events of a stream have every field of its record: src/events/catalogue/live.ts", () => {
  const inEvents = Object.keys(EventStream.shape);
  expect(Object.keys(StreamRecordSchema.shape).filter((name) => !inEvents.includes(name))).toEqual([]);
});
