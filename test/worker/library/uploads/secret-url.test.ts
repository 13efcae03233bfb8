/** The signed URL of an upload: whoever has it can send the file, so only answers to its owner have it. */
import { env } from "cloudflare:test";
import { beforeAll, expect, test } from "vitest";
import { wholeDatabase } from "../../whole-database.ts";
import { newWorkspace, type TestWorkspace } from "../../workspace.ts";
import { until } from "../../events/webhooks/webhook-rows.ts";
import { createWebhook, receiverUrl, seenAt } from "../../events/webhooks/webhook-helpers.ts";
import { call, FILM, newUpload, putRange } from "./upload-helpers.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const signatureOf = (url: string): string => new URL(url).searchParams.get("signature")!;

test("its signature is redacted in events and in D1, and the API's answers have it", async () => {
  const { uploadId, url } = await newUpload(workspace);
  const read = await workspace.request("GET", `/v1/on-demand/upload/${uploadId}`);
  expect((await read.json<{ data: { url: string } }>()).data.url).toBe(url);
  const listed = await workspace.request("GET", "/v1/on-demand/uploads");
  expect(await listed.text()).toContain(signatureOf(url));
  const cancelled = await workspace.request("PUT", `/v1/on-demand/upload/${uploadId}/cancel`);
  expect((await cancelled.json<{ data: { url: string } }>()).data.url).toBe(url);
  const events = await until(
    async () => (await workspace.request("GET", `/v1/events?objectId=${uploadId}`)).json<{ data: EventRecord[] }>(),
    ({ data }) => data.length === 2,
  );
  for (const { data } of events.data) expect(data.url).toBe(url.replace(signatureOf(url), "redacted"));
  expect((await call("POST", events.data[0]!.data.url)).status).toBe(403);
  const text = await wholeDatabase();
  expect([text.includes(uploadId), text.includes(signatureOf(url))]).toEqual([true, false]);
});

interface EventRecord {
  data: { url: string };
}

test("an idempotent creation is stored without its signature in clear, and repeated with it", async () => {
  const create = () =>
    workspace.request("POST", "/v1/on-demand/upload", { corsOrigin: "*" }, { "idempotency-key": "again" });
  const urlOf = async (answer: Response) => (await answer.json<{ data: { url: string } }>()).data.url;
  const url = await urlOf(await create());
  expect(await urlOf(await create())).toBe(url);
  expect((await wholeDatabase()).includes(signatureOf(url))).toBe(false);
});

test("a webhook that requests secrets gets the URL, and others a redacted one", async () => {
  const by = await newWorkspace();
  const [plain, full] = [receiverUrl(), receiverUrl()];
  const eventTypes = ["video.media.upload"];
  await createWebhook(by, { url: plain, eventTypes });
  await createWebhook(by, { url: full, eventTypes, events: { secrets: true } });
  const { url } = await newUpload(by);
  const urlSeenAt = async (receiver: string) => {
    const [seen] = await until(
      () => seenAt(receiver),
      (all) => all.length === 1,
    );
    return (JSON.parse(seen!.body) as EventRecord).data.url;
  };
  expect(await urlSeenAt(full)).toBe(url);
  expect(await urlSeenAt(plain)).toBe(url.replace(signatureOf(url), "redacted"));
  expect((await putRange(await urlSeenAt(full), FILM, 0, FILM.byteLength)).status).toBe(200);
});

test("an event that an earlier release stored is redacted when it is read", async () => {
  const { uploadId, url } = await newUpload(workspace);
  await env.DB.prepare(
    "UPDATE events SET body = replace(body, 'signature=redacted', ?), sealed_data = NULL WHERE object_id = ?",
  )
    .bind(`signature=${signatureOf(url)}`, uploadId)
    .run();
  expect((await wholeDatabase()).includes(signatureOf(url))).toBe(true);
  const listed = await (await workspace.request("GET", `/v1/events?objectId=${uploadId}`)).text();
  expect([listed.includes(uploadId), listed.includes(signatureOf(url))]).toEqual([true, false]);
});
