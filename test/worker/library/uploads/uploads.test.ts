import { env } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { sha256Hex } from "../../../../src/platform/crypto/hash.ts";
import { openStoredSource } from "../../../../src/library/sources/stored-source.ts";
import type { MediaAnswer } from "../../workspace.ts";
import { newWorkspace, type TestWorkspace } from "../../workspace.ts";
import { eventsOf, until } from "../../events/webhooks/webhook-rows.ts";
import { call, FILM, newUpload, probe, putRange } from "./upload-helpers.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});
const mediaOf = async (id: string) =>
  (await (await workspace.request("GET", `/v1/on-demand/${id}`)).json<MediaAnswer>()).data;

describe("a file sent in chunks", () => {
  test("becomes a media with the upload's id that plays from its pieces", async () => {
    const { uploadId, url, playbackId } = await newUpload(workspace, {
      pushMediaSettings: { accessPolicy: "public", title: "Friday" },
    });
    const begun = await probe(url, FILM.byteLength);
    expect([begun.status, begun.headers.get("range")]).toEqual([308, null]);
    const first = await putRange(url, FILM, 0, 200_000);
    expect([first.status, first.headers.get("range")]).toEqual([308, "bytes=0-199999"]);
    const second = await putRange(url, FILM, 200_000, 400_001);
    expect([second.status, second.headers.get("range")]).toEqual([308, "bytes=0-400000"]);
    const last = await putRange(url, FILM, 400_001, FILM.byteLength);
    expect([last.status, last.headers.get("range")]).toEqual([200, null]);

    const media = await mediaOf(uploadId);
    expect(media).toMatchObject({ id: uploadId, title: "Friday", playbackIds: [{ id: playbackId }] });
    const source = (await openStoredSource(env, uploadId))!;
    expect(source.size).toBe(FILM.byteLength);
    const stored = new Uint8Array(await new Response(await source.open(0, source.size)).arrayBuffer());
    expect(await sha256Hex(stored)).toBe(await sha256Hex(FILM));
    await until(
      () => call("GET", `http://sluice.test/${playbackId}.m3u8`),
      ({ status }) => status === 200,
    );
    const events = await eventsOf(uploadId);
    expect(events.map(({ type }) => type)).toEqual(["video.media.upload", "video.upload.media_created"]);
  });

  test("with accessPolicy `private` plays for nobody without a token, while it is coming in and afterwards", async () => {
    const accessRestrictions = { domains: { defaultPolicy: "deny", allow: ["example.com"] } };
    const { uploadId, url, playbackId } = await newUpload(workspace, {
      pushMediaSettings: { accessPolicy: "private", accessRestrictions },
    });
    const rules = {
      accessPolicy: "private",
      accessRestrictions: {
        domains: { defaultPolicy: "deny", allow: ["example.com"], deny: [] },
        userAgents: { defaultPolicy: "allow", allow: [], deny: [] },
      },
    };
    const record = await (
      await workspace.request("GET", `/v1/on-demand/upload/${uploadId}`)
    ).json<{ data: { pushMediaSettings: { playbackIds: object[] } } }>();
    expect(record.data.pushMediaSettings.playbackIds).toEqual([rules]);
    const play = () =>
      until(
        () => call("GET", `http://sluice.test/${playbackId}.m3u8`, { referer: "https://example.com/" }),
        ({ status }) => status !== 400,
      );
    await putRange(url, FILM, 0, 400_000);
    expect((await play()).status).toBe(401);
    await putRange(url, FILM, 400_000, FILM.byteLength);
    expect((await play()).status).toBe(401);
    expect((await mediaOf(uploadId)).playbackIds).toEqual([{ id: playbackId, ...rules }]);
  });
});

test("the page of a complete upload says whether its file can be played, also when it is opened again", async () => {
  const answer = await workspace.request("POST", "/v1/on-demand/upload", { corsOrigin: "*" });
  const { data, page_url } = await answer.json<{ page_url: string; data: { uploadId: string; url: string } }>();
  expect((await putRange(data.url, FILM, 0, FILM.byteLength)).status).toBe(200);
  const page = async () => await (await call("GET", page_url, { accept: "text/html" })).text();
  expect(await page()).toContain("The upload is complete");
  await env.DB.prepare("UPDATE assets SET status = 'errored' WHERE id = ?").bind(data.uploadId).run();
  const failed = await page();
  expect(failed).toContain("This file cannot be played");
  expect(failed).not.toContain("Watch the video");
});
