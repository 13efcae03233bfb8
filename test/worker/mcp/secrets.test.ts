/** No tool returns a secret of the workspace, apart from the address of the upload that it has just created. */
import { env } from "cloudflare:test";
import { beforeAll, expect, test } from "vitest";
import { addCaptionTrack } from "../../../src/library/tracks/add-caption-track.ts";
import { TOOLS } from "../../../src/mcp/tool-table.ts";
import { storeView } from "../analytics/beacon-helpers.ts";
import { newAsset } from "../playback/playable.ts";
import { probe } from "../library/uploads/upload-helpers.ts";
import { newWorkspace, type TestWorkspace, videoFrom } from "../workspace.ts";
import { callTool, connect } from "./mcp-helpers.ts";

const FILM = "http://127.0.0.1:9/a.mp4";
const SIGNED = `${FILM}?X-Amz-Signature=4f1c9ab2e07d&X-Amz-Credential=AKIAEXAMPLE&part=1`;
let workspace: TestWorkspace;
/** By what they are. */
let secrets: Record<string, string>;
let given: Record<string, Record<string, unknown>>;

async function answerOf(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await workspace.request(method, path, body);
  const answer = await response.json<{ data: Record<string, unknown> }>();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
  return { ...answer, ...answer.data };
}

beforeAll(async () => {
  workspace = await newWorkspace();
  const stream = await answerOf("POST", "/v1/live/streams", { playbackSettings: {}, inputMediaSettings: {} });
  const at = `/v1/live/streams/${stream["streamId"] as string}`;
  const target = { url: "rtmp://127.0.0.1/b?token=token-of-the-target", streamKey: "key-of-the-target" };
  await answerOf("POST", `${at}/simulcast`, target);
  const hook = { url: "http://127.0.0.1:9000/hooks/path-of-the-hook", skipVerification: true, enabled: false };
  const webhook = await answerOf("POST", "/v1/webhooks", hook);
  const signingKey = await answerOf("POST", "/v1/iam/signing-keys");
  const media = await answerOf("POST", "/v1/on-demand", { ...videoFrom(SIGNED), accessPolicy: "private" });
  const token = await answerOf("POST", "/v1/iam/playback-tokens", { playbackId: media["playback_id"] });
  const upload = await answerOf("POST", "/v1/on-demand/upload", { corsOrigin: "*" });
  const current = await answerOf("GET", at);
  const ready = await newAsset({ workspaceId: workspace.id, status: "ready", stage: "done" });
  const trackId = crypto.randomUUID();
  const cues = [{ startMs: 0, endMs: 1000, settings: "", text: "Words" }];
  const labels = { languageCode: "en", languageName: "English" };
  await addCaptionTrack(env, { assetId: ready.assetId, trackId }, labels, { cues, skipped: 0 }, new Date());
  const sound = await answerOf("POST", `/v1/on-demand/${media["id"] as string}/tracks`, {
    tracks: { url: "http://127.0.0.1:9/a.m4a", type: "audio", languageCode: "it", languageName: "Italian" },
  });
  const page = `https://shop.test/film?token=${token["token"] as string}`;
  const viewId = await storeView(workspace.id, "Harbour", { page_url: page, view_page_url: page }, true);
  secrets = {
    streamKey: stream["streamKey"] as string,
    srtSecret: stream["srtSecret"] as string,
    ingest: (current["ingest"] as { http: string }).http,
    targetKey: target.streamKey,
    targetToken: "token-of-the-target",
    webhookSecret: webhook["secret"] as string,
    webhookAddress: "path-of-the-hook",
    signingKey: signingKey["privateKey"] as string,
    playbackToken: token["token"] as string,
    uploadSignature: new URL(upload["url"] as string).searchParams.get("signature")!,
    uploadPage: (upload["page_url"] as string).split("/").at(-1)!,
    sourceSignature: "4f1c9ab2e07d",
    sourceCredential: "AKIAEXAMPLE",
    credential: atob(workspace.authorization.slice("Basic ".length)).split(":")[1]!,
  };
  const mediaId = media["id"];
  given = {
    get_media: { mediaId },
    create_media: videoFrom(SIGNED),
    update_media: { mediaId, title: "Harbour" },
    create_upload: { corsOrigin: "*" },
    list_playback_ids: { mediaId },
    generate_captions: { mediaId, trackId: sound["id"], languageCode: "fr-FR", languageName: "French" },
    get_captions: { mediaId: ready.assetId, trackId },
    make_summary: { mediaId: ready.assetId },
    get_summary: { mediaId: ready.assetId },
    make_chapters: { mediaId: ready.assetId },
    search_media: { q: "harbour" },
    get_engagement: { mediaId },
    get_view: { viewId },
    list_dimension_values: { dimensionsId: "video_title" },
    get_metric: { metricId: "views" },
    break_down_metric: { metricId: "views" },
    get_metric_timeseries: { metricId: "views" },
    get_live_stream: { streamId: stream["streamId"] },
    list_events: { limit: 100 },
  };
});

test("the secrets are real: the API returns those of the stream, and each is a text of its own", async () => {
  const streams = await (await workspace.request("GET", "/v1/live/streams")).text();
  for (const name of ["streamKey", "srtSecret", "targetKey", "targetToken"]) expect(streams).toContain(secrets[name]);
  for (const secret of Object.values(secrets)) expect(secret.length).toBeGreaterThan(10);
  expect(new Set(Object.values(secrets)).size).toBe(Object.keys(secrets).length);
});

test.each(TOOLS.map(({ name }) => name))("%s answers, and returns none of the secrets", async (name) => {
  const client = await connect(workspace.authorization);
  const { isError, text } = await callTool(client, name, given[name]);
  expect([isError, text]).toEqual([false, expect.any(String)]); // the text says why
  expect(Object.entries(secrets).filter(([, secret]) => text.includes(secret))).toEqual([]);
});

test("a stream comes without its keys and addresses, and with everything else", async () => {
  const client = await connect(workspace.authorization);
  const { answer } = await callTool(client, "get_live_stream", given["get_live_stream"]);
  expect(answer.data.data).toMatchObject({
    ...given["get_live_stream"],
    streamKey: "withheld",
    srtSecret: "withheld",
    ingest: "withheld",
    status: "idle",
    simulcastResponses: [{ url: "rtmp://127.0.0.1/b?token=withheld", streamKey: "withheld", isEnabled: true }],
  });
});

test("the upload of a call takes a file at the address that the call has returned", async () => {
  const client = await connect(workspace.authorization);
  const { answer } = await callTool(client, "create_upload", given["create_upload"]);
  expect((await probe(answer.data.data["url"] as string, 1000)).status).toBe(308); // it waits for the file
});
