/** A client generated from the OpenAPI document makes the main calls: its types compile, and the API answers as they say. */
import createClient from "openapi-fetch";
import { expect, test } from "vitest";
import { typedStructure } from "../../scripts/api-types/structure.ts";
import { apiDocument } from "../../src/api-document.ts";
import { createApp } from "../../src/app.ts";
import type { paths } from "../../sdk/api/api-types.ts";
// oxlint-disable-next-line import/default -- `?raw` imports the text of the file
import apiTypes from "../../sdk/api/api-types.ts?raw";
import { receiverUrl } from "./events/webhooks/webhook-helpers.ts";
import { until } from "./events/webhooks/webhook-rows.ts";
import { openSourceServer } from "./library/sources/source-servers.ts";
import { newWorkspace, send } from "./workspace.ts";

async function newClient() {
  const { authorization } = await newWorkspace();
  return createClient<paths>({
    baseUrl: "http://sluice.test",
    headers: { authorization },
    fetch: (request) => send(request),
  });
}

test("the types are generated from the document as it is", async () => {
  const { digest } = await typedStructure(apiDocument(createApp(), "https://video.example.com"));
  expect(apiTypes.split("\n")[0], `stale: run "npm run api:types"`).toContain(digest);
});

test("a generated client creates a media, polls it, lists it, changes and deletes it", async () => {
  const client = await newClient();
  const server = await openSourceServer();
  const url = await server.add("/gone.mp4", { kind: "status", status: 404 });
  const created = await client.POST("/v1/on-demand", { body: { inputs: [{ type: "video", url }], title: "A film" } });
  const { data: media, playback_id: playbackId } = created.data!;
  expect(media.playbackIds.map(({ id }) => id)).toEqual([playbackId]);
  const path = { mediaId: media.id };
  const polled = await until(
    async () => (await client.GET("/v1/on-demand/{mediaId}", { params: { path } })).data!.data,
    ({ status }) => status === "Failed",
  );
  expect(polled.error).toMatchObject({ code: "source_not_found", fault: "source" });
  const listed = await client.GET("/v1/on-demand", { params: { query: { limit: 5 } } });
  expect(listed.data!.data.map(({ id, title }) => [id, title])).toEqual([[media.id, "A film"]]);
  expect(listed.data!.pagination.totalRecords).toBe(1);
  const changed = await client.PATCH("/v1/on-demand/{mediaId}", { params: { path }, body: { title: "Another" } });
  expect(changed.data!.data.title).toBe("Another");
  expect((await client.DELETE("/v1/on-demand/{mediaId}", { params: { path } })).data).toEqual({ success: true });
  const gone = await client.GET("/v1/on-demand/{mediaId}", { params: { path } });
  expect([gone.response.status, gone.error?.error.message]).toEqual([404, "media workspace relation not found"]);
});

test("a generated client makes a webhook and a live stream, and reads what a refusal says", async () => {
  const client = await newClient();
  const webhook = await client.POST("/v1/webhooks", { body: { url: receiverUrl(), eventTypes: ["live_stream.*"] } });
  expect(webhook.data!.data).toMatchObject({ enabled: true, status: "active", secret: expect.any(String) });
  const path = { webhookId: webhook.data!.data.id };
  const tested = await client.POST("/v1/webhooks/{webhookId}/test", {
    params: { path },
    body: { type: "live_stream.connected" },
  });
  expect(tested.data!.data.delivered).toBe(true);

  const stream = await client.POST("/v1/live-stream", { body: { inputMediaSettings: { latencyMode: "standard" } } });
  expect(stream.data!.data).toMatchObject({ streamId: stream.data!.stream_id, latencyMode: "standard" });
  const target = await client.POST("/v1/live/streams/{streamId}/simulcast", {
    params: { path: { streamId: stream.data!.stream_id } },
    body: { url: "rtmp://live.example.com/app", streamKey: "k" },
  });
  expect(target.data!.data.isEnabled).toBe(true);
  const least = await client.POST("/v1/live/streams", { body: {} });
  expect(least.response.status).toBe(201);

  const refused = await client.GET("/v1/live/streams", { params: { query: { limit: 500 } } });
  expect(refused.error!.error.hints).toEqual([{ field: "limit", message: "must be an integer from 1 to 50" }]);
});
