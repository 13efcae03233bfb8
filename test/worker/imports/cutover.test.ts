/** Old addresses of migrated videos. */
import { env } from "cloudflare:test";
import { beforeAll, expect, test } from "vitest";
import { migratedPlaybackIds } from "../../../src/imports/store/tables.ts";
import type { SourceKind } from "../../../src/imports/sources/source.ts";
import { openDatabase } from "../../../src/platform/database.ts";
import type { Env } from "../../../src/platform/env.ts";
import { addRung, newAsset } from "../playback/playable.ts";
import { type ErrorBody, newWorkspace, send } from "../workspace.ts";
import { countQueries } from "./count-queries.ts";

let workspaceId: string;
let playbackId: string;
let assetId: string;

async function migrate(source: SourceKind, oldPlaybackId: string, workspace = workspaceId): Promise<void> {
  const row = { workspaceId: workspace, source, oldPlaybackId, playbackId, mediaId: assetId };
  await openDatabase(env.DB).insert(migratedPlaybackIds).values(row);
}

beforeAll(async () => {
  workspaceId = (await newWorkspace()).id;
  ({ assetId, playbackId } = await newAsset({ status: "ready", workspaceId }));
  await addRung(assetId);
  await migrate("mux", "old");
  await migrate("s3", "films/a b.mp4");
  await migrate("list", "https://cdn.test/a.mp4");
});

const ask = (path: string, init: RequestInit = {}, origin = "http://sluice.test", overrides: Partial<Env> = {}) =>
  send(new Request(`${origin}/migrated/${path}`, init), overrides);
const locationOf = async (answer: Promise<Response>) => (await answer).headers.get("location");

test("an old address leads to the new one, which plays", async () => {
  for (const method of ["GET", "HEAD"]) {
    const answer = await ask(`${workspaceId}/mux/old.m3u8`, { method });
    expect([answer.status, await answer.text()]).toEqual([302, ""]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      location: `http://sluice.test/${playbackId}.m3u8`,
      "cache-control": "public, max-age=60",
      "access-control-allow-origin": "*",
      "x-request-id": expect.any(String),
    });
  }
  const manifest = await send(new Request((await locationOf(ask(`${workspaceId.toUpperCase()}/mux/old.m3u8`)))!));
  expect([manifest.status, (await manifest.text()).startsWith("#EXTM3U")]).toEqual([200, true]);
});

test("ids with slashes may be encoded", async () => {
  expect(await locationOf(ask(`${workspaceId}/s3/films%2Fa%20b.mp4`))).toBe(
    `http://sluice.test/${playbackId}/capped-4k.mp4`,
  );
  expect(await locationOf(ask(`${workspaceId}/s3/films/a%20b.mp4`))).toBe(
    `http://sluice.test/${playbackId}/capped-4k.mp4`,
  );
  expect(await locationOf(ask(`${workspaceId}/list/${encodeURIComponent("https://cdn.test/a.mp4")}.m3u8`))).toBe(
    `http://sluice.test/${playbackId}.m3u8`,
  );
});

test("nothing of the request is in the target but what closed tables have", async () => {
  const location = await locationOf(
    ask(
      `${workspaceId}/mux/old/thumbnail.jpg?time=1.5&width=99999&token=secret&x=https://evil.test&fit_mode=constructor`,
    ),
  );
  expect(location).toBe(`http://sluice.test/${playbackId}/thumbnail.jpg?time=1.5&width=4096`);
});

test("every host serves it; without PUBLIC_URL the target is on the host that serves what it names", async () => {
  for (const prefix of ["api", "stream", "images", "play", "live"])
    expect(await locationOf(ask(`${workspaceId}/mux/old.m3u8`, {}, `https://${prefix}.example.com`))).toBe(
      `http://sluice.test/${playbackId}.m3u8`,
    );
  const unset = { PUBLIC_URL: "" };
  expect(await locationOf(ask(`${workspaceId}/mux/old`, {}, "https://api.example.com", unset))).toBe(
    `https://play.example.com/player/${playbackId}`,
  );
  expect(await locationOf(ask(`${workspaceId}/mux/old.m3u8`, {}, "https://video.example.com", unset))).toBe(
    `/${playbackId}.m3u8`,
  );
});

test("what was not migrated is 404 in one wording, as JSON for players and as a page for people", async () => {
  const other = (await newWorkspace()).id;
  const paths = [
    `${workspaceId}/mux/unknown.m3u8`,
    `${workspaceId}/vimeo/old`,
    `${workspaceId}/betamax/old`,
    `${other}/mux/old.m3u8`,
    "nonsense/mux/old.m3u8",
    `${workspaceId}/mux/%zz`,
    `${workspaceId}/mux/`,
    workspaceId,
    `${workspaceId}/mux/old/text/track.vtt`,
  ];
  for (const path of paths) {
    const answer = await ask(path);
    expect([
      answer.status,
      answer.headers.get("access-control-allow-origin"),
      answer.headers.get("cache-control"),
    ]).toEqual([404, "*", "no-store"]);
    expect((await answer.json<ErrorBody>()).error.description).toBe("no video with this old address has been migrated");
  }
  const person = await ask(paths[0]!, { headers: { accept: "text/html" } });
  expect([person.status, await person.text()]).toEqual([404, expect.stringContaining("This video does not exist")]);
});

test("two workspaces may have the same old id, each its own", async () => {
  const other = (await newWorkspace()).id;
  const first = playbackId;
  ({ playbackId } = await newAsset({ workspaceId: other }));
  await migrate("mux", "old", other);
  expect(await locationOf(ask(`${other}/mux/old.m3u8`))).toBe(`http://sluice.test/${playbackId}.m3u8`);
  playbackId = first;
  expect(await locationOf(ask(`${workspaceId}/mux/old.m3u8`))).toBe(`http://sluice.test/${first}.m3u8`);
});

test("other methods are refused, and preflights answered", async () => {
  const refused = await ask(`${workspaceId}/mux/old.m3u8`, { method: "POST", body: "x" });
  expect([refused.status, refused.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  expect((await ask(`${workspaceId}/mux/old.m3u8`, { method: "OPTIONS" })).status).toBe(204);
});

test("an address is looked up once, known or unknown, and a network that tries too many unknown ones is refused", async () => {
  const { DB, queries } = countQueries(env.DB);
  await migrate("mux", "counted");
  for (const id of ["counted", "counted", "uncounted", "uncounted"])
    await ask(`${workspaceId}/mux/${id}.m3u8`, {}, undefined, { DB });
  expect(queries.filter((text) => text.includes("migrated_playback_ids"))).toHaveLength(2);

  const UNKNOWN_IDS = { limit: async () => ({ success: false }) };
  const headers = { "cf-connecting-ip": "198.51.100.8" };
  const from = (id: string) => ask(`${workspaceId}/mux/${id}.m3u8`, { headers }, undefined, { DB, UNKNOWN_IDS });
  expect((await from("guess1")).status).toBe(404);
  expect((await from("guess2")).status).toBe(429);
  expect((await from("counted")).status).toBe(302);
});
