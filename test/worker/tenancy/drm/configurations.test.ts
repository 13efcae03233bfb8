import { beforeEach, describe, expect, test } from "vitest";
import { licenseServiceUrl } from "../../playback/license-service.ts";
import { type ErrorBody, type MediaAnswer, newWorkspace, type TestWorkspace, videoFrom } from "../../workspace.ts";

const PATH = "/v1/on-demand/drm-configurations";
let workspace: TestWorkspace;
beforeEach(async () => {
  workspace = await newWorkspace();
});

interface Configuration {
  id: string;
  keySystems: string[];
}
const make = async (keySystems: unknown, of = workspace) => await of.request("POST", PATH, { keySystems });
const made = async (keySystems: string[] = ["clearkey"], of = workspace) =>
  (await (await make(keySystems, of)).json<{ data: Configuration }>()).data;
const errorOf = async (answer: Response) => ({ status: answer.status, ...(await answer.json<ErrorBody>()).error });

describe("a DRM configuration", () => {
  test("is listed and read by its id, and an empty list is 400", async () => {
    expect(await errorOf(await workspace.request("GET", PATH))).toMatchObject({
      status: 400,
      message: "DRM ID does not exist",
    });
    const { id, keySystems } = await made();
    expect(keySystems).toEqual(["clearkey"]);
    expect(await (await workspace.request("GET", PATH)).json()).toEqual({
      success: true,
      data: [{ id }],
      pagination: { totalRecords: 1, currentOffset: 1, offsetCount: 1 },
    });
    expect(await (await workspace.request("GET", `${PATH}/${id.toUpperCase()}`)).json()).toEqual({
      success: true,
      data: { id },
    });
    expect(await errorOf(await workspace.request("GET", `${PATH}/${crypto.randomUUID()}`))).toMatchObject({
      status: 404,
      message: "DRM ID does not exist",
    });
  });

  test("is the same one for the same key systems, and another one in another workspace", async () => {
    const [first, again] = [await made(), await made()];
    expect(again).toEqual(first);
    expect((await made(["clearkey"], await newWorkspace())).id).not.toBe(first.id);
  });

  test.each([
    ["none", []],
    ["an unknown one", ["playready"]],
    ["one twice", ["clearkey", "clearkey"]],
    ["ClearKey beside Widevine", ["clearkey", "widevine"]],
  ])("is refused with %s of the key systems", async (_what, keySystems) => {
    const { status, fields } = await errorOf(await make(keySystems));
    expect([status, fields!.every(({ field }) => field.startsWith("keySystems"))]).toEqual([422, true]);
  });

  test("of Widevine and FairPlay needs a licence service, whose missing settings are named", async () => {
    expect(await errorOf(await make(["fairplay", "widevine"]))).toMatchObject({
      status: 400,
      message: "DRM is not set up",
      description:
        "this deployment has no licence service: set DRM_LICENSE_PROXY_CPIX_URL, DRM_LICENSE_PROXY_FAIRPLAY_URL, DRM_LICENSE_PROXY_FAIRPLAY_CERTIFICATE_URL, DRM_LICENSE_PROXY_WIDEVINE_URL",
    });
    const url = licenseServiceUrl();
    const withService = await newWorkspace({
      DRM_LICENSE_PROXY_CPIX_URL: url,
      DRM_LICENSE_PROXY_WIDEVINE_URL: url,
      DRM_LICENSE_PROXY_FAIRPLAY_URL: url,
      DRM_LICENSE_PROXY_FAIRPLAY_CERTIFICATE_URL: url,
    });
    expect((await made(["fairplay", "widevine"], withService)).keySystems).toEqual(["widevine", "fairplay"]);
  });
});

describe("media with the policy drm", () => {
  const create = (more: object) =>
    workspace.request("POST", "/v1/on-demand", { ...videoFrom("https://cdn.test/a.mp4"), ...more });
  const policies = ({ data }: MediaAnswer) =>
    data.playbackIds.map((one) => (one as unknown as { accessPolicy: string }).accessPolicy);

  test("needs a configuration", async () => {
    expect(await errorOf(await create({ accessPolicy: "drm" }))).toMatchObject({
      status: 400,
      message: "DRM ID does not exist",
      description: "create one first: POST /v1/on-demand/drm-configurations",
    });
  });

  test("takes the named configuration, or the workspace's only one, in creations, uploads and playback IDs", async () => {
    const { id } = await made();
    for (const body of [{ accessPolicy: "drm", drmConfigurationId: id }, { accessPolicy: "drm" }])
      expect(policies(await (await create(body)).json<MediaAnswer>())).toEqual(["drm"]);
    const media = (await (await create({})).json<MediaAnswer>()).data;
    const added = await workspace.request("POST", `/v1/on-demand/${media.id}/playback-ids`, { accessPolicy: "drm" });
    expect([added.status, (await added.json<{ data: { accessPolicy: string } }>()).data.accessPolicy]).toEqual([
      201,
      "drm",
    ]);
    const upload = await workspace.request("POST", "/v1/on-demand/upload", {
      corsOrigin: "*",
      pushMediaSettings: { accessPolicy: "drm", drmConfigurationId: id },
    });
    const { data } = await upload.json<{ data: { pushMediaSettings: { playbackIds: object[] } } }>();
    expect([upload.status, data.pushMediaSettings.playbackIds]).toMatchObject([201, [{ accessPolicy: "drm" }]]);
  });

  test("takes no configuration of another workspace", async () => {
    const { id } = await made(["clearkey"], await newWorkspace());
    await made();
    const { status, fields } = await errorOf(await create({ accessPolicy: "drm", drmConfigurationId: id }));
    expect([status, fields]).toEqual([422, [{ field: "drmConfigurationId", message: "is invalid" }]]);
  });

  test("gets tokens for its licences from the API", async () => {
    await made();
    const { playback_id: playbackId } = await (await create({ accessPolicy: "drm" })).json<MediaAnswer>();
    const answer = await workspace.request("POST", "/v1/iam/playback-tokens", { playbackId });
    const { token } = (await answer.json<{ data: { token: string } }>()).data;
    expect(JSON.parse(atob(token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/")))).toMatchObject({
      aud: `drm:${playbackId}`,
    });
  });
});

describe("a stream with a DRM configuration", () => {
  const stream = async (more: object = {}, accessPolicy = "private") =>
    await workspace.request("POST", "/v1/live/streams", {
      playbackSettings: { accessPolicy },
      inputMediaSettings: { mediaPolicy: "private", drmConfigurationId: (await made()).id, ...more },
    });

  test("is shown as private, also its further playback IDs, and has no public ones", async () => {
    const created = await stream();
    const { data } = await created.json<{
      data: { streamId: string; mediaPolicy: string; playbackIds: { accessPolicy: string }[] };
    }>();
    expect([created.status, data.mediaPolicy, data.playbackIds.map(({ accessPolicy }) => accessPolicy)]).toEqual([
      201,
      "private",
      ["private"],
    ]);
    const add = (accessPolicy: string) =>
      workspace.request("POST", `/v1/live/streams/${data.streamId}/playback-ids`, { accessPolicy });
    const added = await add("private");
    expect([added.status, (await added.json<{ data: { accessPolicy: string } }>()).data.accessPolicy]).toEqual([
      201,
      "private",
    ]);
    const { status, fields } = await errorOf(await add("public"));
    expect([status, fields]).toEqual([422, [{ field: "accessPolicy", message: "is invalid" }]]);
  });
});
