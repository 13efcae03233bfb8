/** A field that a request may have is stored and answered. The lists of fields are read from the schemas, so a new field fails until it is tried here. */
import { env } from "cloudflare:test";
import { and, desc, eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { assets } from "../../../../src/library/assets/tables.ts";
import { CreateAsset, UpdateAsset } from "../../../../src/library/assets/schemas.ts";
import { UploadSettings } from "../../../../src/library/uploads/settings.ts";
import { eventBytes, events } from "../../../../src/events/index.ts";
import { openDatabase } from "../../../../src/platform/database.ts";
import { isLater } from "../../../../src/platform/http/hints/later.ts";
import { type MediaAnswer, newWorkspace, type TestWorkspace } from "../../workspace.ts";

const db = openDatabase(env.DB);

type MediaFields = Record<string, unknown> & { playbackIds: Record<string, unknown>[] };

const URL_OF_SOURCE = "https://cdn.test/a.mp4";
const rules = { defaultPolicy: "deny", allow: ["example.com"], deny: [] };
const accessRestrictions = { domains: rules, userAgents: { ...rules, allow: ["curl"] } };

/** Values that differ from the defaults. */
const SETTINGS = {
  title: "A film",
  creatorId: "me",
  metadata: { season: "1" },
  accessPolicy: "private",
  maxResolution: "720p",
  mediaQuality: "pro",
  mp4Support: "capped_4k",
  sourceAccess: true,
  optimizeAudio: true,
  accessRestrictions,
};
const CLIP = { startTime: 1.5, endTime: 4 };

/** Shown by the media alone: the answer of its creation and an upload's settings do not have them (media contract, Records). */
const OF_THE_MEDIA_ALONE = { mp4Support: undefined };
/** Besides those, a cancelled upload lacks these. */
const NOT_OF_CANCELLED = {
  mediaQuality: undefined,
  sourceAccess: undefined,
  optimizeAudio: undefined,
  accessRestrictions: undefined,
};
/** Body of `PATCH /v1/on-demand/{mediaId}`. */
const CHANGE: Record<string, unknown> = { title: "Another", creatorId: "you", metadata: { season: "2" } };

/** `inputs` are shown by `input-info`; `tenancy/drm/configurations.test.ts` has the second one, `tracks/made-subtitles.test.ts` the third, `insights/insights.test.ts` and `insights/moderation.test.ts` the others. */
const ELSEWHERE = [
  "inputs",
  "drmConfigurationId",
  "subtitles",
  "summary",
  "chapters",
  "generateChapters",
  "namedEntities",
  "moderation",
];

const fieldsOf = (shape: Record<string, Parameters<typeof isLater>[0]>) =>
  Object.keys(shape).filter((name) => !isLater(shape[name]!));

/** What the media shows of `SETTINGS`. */
const settingsOf = ({ playbackIds: [playbackId], ...media }: MediaFields) =>
  Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, media[name] ?? playbackId![name]]));

const media = async (workspace: TestWorkspace, id: string) =>
  (await (await workspace.request("GET", `/v1/on-demand/${id}`)).json<MediaAnswer>()).data as MediaFields & {
    id: string;
  };

/** No answer shows the clip. */
async function clipOf(id: string) {
  const [row] = await db.select().from(assets).where(eq(assets.id, id));
  return { startTime: row!.clipStartMs / 1000, endTime: row!.clipEndMs! / 1000 };
}

async function dataOfEvent(type: string, objectId: string): Promise<MediaFields> {
  const ofObject = and(eq(events.objectId, objectId), eq(events.videoType, type));
  const [event] = await db.select().from(events).where(ofObject).orderBy(desc(events.createdAt));
  const sent = new TextDecoder().decode(eventBytes(event!, "video"));
  return (JSON.parse(sent) as { data: MediaFields }).data;
}

describe("each field of a creation", () => {
  test("has a value in this test", () => {
    expect(fieldsOf(CreateAsset.shape).sort()).toEqual([...Object.keys(SETTINGS), ...ELSEWHERE].toSorted());
  });

  test("is shown by the answer, the media and its event", async () => {
    const workspace = await newWorkspace();
    const response = await workspace.request("POST", "/v1/on-demand", {
      ...SETTINGS,
      inputs: [{ type: "video", url: URL_OF_SOURCE, ...CLIP }],
    });
    expect(response.status).toBe(201);
    const { data } = await response.json<{ data: MediaFields & { id: string } }>();
    expect(settingsOf(data)).toEqual({ ...SETTINGS, ...OF_THE_MEDIA_ALONE });
    expect(settingsOf(await media(workspace, data.id))).toEqual(SETTINGS);
    expect(settingsOf(await dataOfEvent("video.media.created", data.id))).toEqual(SETTINGS);
    const inputInfo = await workspace.request("GET", `/v1/on-demand/${data.id}/input-info`);
    expect(await inputInfo.json()).toMatchObject({ data: { configuration: { url: URL_OF_SOURCE } } });
    expect(await clipOf(data.id)).toEqual(CLIP);
  });
});

describe("each setting of an upload", () => {
  test("has a value in this test", () => {
    expect(fieldsOf(UploadSettings.shape).sort()).toEqual(
      [...Object.keys(SETTINGS), ...Object.keys(CLIP), ...ELSEWHERE].toSorted(),
    );
  });

  test("is shown by the media", async () => {
    const workspace = await newWorkspace();
    const body = { corsOrigin: "*", pushMediaSettings: { ...SETTINGS, ...CLIP } };
    const response = await workspace.request("POST", "/v1/on-demand/upload", body);
    expect(response.status).toBe(201);
    const { data } = await response.json<{ data: { uploadId: string } }>();
    expect(settingsOf(await media(workspace, data.uploadId))).toEqual(SETTINGS);
    expect(await clipOf(data.uploadId)).toEqual(CLIP);
  });

  test("is shown by the upload and its event, except for those that the contract's record lacks", async () => {
    const workspace = await newWorkspace();
    const body = { corsOrigin: "*", pushMediaSettings: SETTINGS };
    const response = await workspace.request("POST", "/v1/on-demand/upload", body);
    const { data } = await response.json<{ data: { uploadId: string; pushMediaSettings: MediaFields } }>();
    const shown = { ...SETTINGS, ...OF_THE_MEDIA_ALONE };
    expect(settingsOf(data.pushMediaSettings)).toEqual(shown);
    const ofEvent = await dataOfEvent("video.media.upload", data.uploadId);
    expect(settingsOf(ofEvent["pushMediaSettings"] as MediaFields)).toEqual(shown);
    const cancelled = await workspace.request("PUT", `/v1/on-demand/upload/${data.uploadId}/cancel`);
    const { data: record } = await cancelled.json<{ data: MediaFields }>();
    expect(settingsOf({ ...record, playbackIds: [{}] })).toEqual({ ...shown, ...NOT_OF_CANCELLED });
  });

  test("is shown by the list of uploads as the media has it after a change", async () => {
    const workspace = await newWorkspace();
    const body = { corsOrigin: "*", pushMediaSettings: SETTINGS };
    const response = await workspace.request("POST", "/v1/on-demand/upload", body);
    const { data } = await response.json<{ data: { uploadId: string } }>();
    expect((await workspace.request("PATCH", `/v1/on-demand/${data.uploadId}`, CHANGE)).status).toBe(200);
    const page = await workspace.request("GET", "/v1/on-demand/uploads");
    const { data: uploads } = await page.json<{ data: { pushMediaSettings: MediaFields }[] }>();
    expect(settingsOf(uploads[0]!.pushMediaSettings)).toEqual({ ...SETTINGS, ...CHANGE, ...OF_THE_MEDIA_ALONE });
  });
});

test("each field of a change is shown by the media and its event", async () => {
  expect(Object.keys(CHANGE)).toEqual(Object.keys(UpdateAsset.shape));
  const workspace = await newWorkspace();
  const created = await workspace.request("POST", "/v1/on-demand", { inputs: [{ type: "video", url: URL_OF_SOURCE }] });
  const { data } = await created.json<MediaAnswer>();
  for (const [name, value] of Object.entries(CHANGE)) {
    const response = await workspace.request("PATCH", `/v1/on-demand/${data.id}`, { [name]: value });
    expect([name, response.status]).toEqual([name, 200]);
  }
  expect(await media(workspace, data.id)).toMatchObject(CHANGE);
  expect(await dataOfEvent("video.media.updated", data.id)).toMatchObject(CHANGE);
});
