/** Clips share the segments of the media that they are cut from, whose bytes live as long as something uses them. */
import { env } from "cloudflare:test";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { isShared, keepOwner, releaseOwner } from "../../../../src/library/clips/shared-media.ts";
import { sweepAssets } from "../../../../src/library/assets/index.ts";
import { commit, openDatabase } from "../../../../src/platform/database.ts";
import { usageOf } from "../../../../src/tenancy/limits/repository.ts";
import { get } from "../../playback/playable.ts";
import { newWorkspace, type TestWorkspace } from "../../workspace.ts";
import { sql } from "drizzle-orm";
import {
  encodeEdge,
  keysOf,
  mediaOf,
  newClip,
  purge,
  readyFilm,
  remove,
  SEGMENT_SECONDS,
  until,
} from "./clip-helpers.ts";

let workspace: TestWorkspace;
beforeEach(async () => {
  workspace = await newWorkspace();
});
const db = openDatabase(env.DB);
const storedBytes = async () => (await usageOf(db, workspace.id)).storedBytes;
const segments = (first: number, end: number) => ({
  startTime: first * SEGMENT_SECONDS,
  endTime: end * SEGMENT_SECONDS,
});
const textOf = async (path: string) => {
  const answer = await get(path);
  return answer.ok ? new TextDecoder().decode(await answer.arrayBuffer()) : answer.status;
};

describe("a clip of whole segments", () => {
  test("needs no encoder, stores no media and lists the film's segments", async () => {
    const film = await readyFilm(workspace);
    const clip = await newClip(workspace, film.assetId, segments(1, 4));
    await until(workspace, clip.assetId, "Ready");
    expect(await mediaOf(workspace, clip.assetId)).toMatchObject({
      sourceMediaId: film.assetId,
      duration: "00:00:12",
      tracks: [{ type: "video", width: 320, height: 180 }, { type: "audio" }],
    });
    expect((await keysOf(clip.assetId)).toSorted()).toEqual([
      "renditions/clip-a1/shared.json",
      "renditions/clip-v270/shared.json",
    ]);
    expect(await storedBytes()).toBe(film.bytes);
    for (const [n, own] of [1, 2, 3].entries())
      expect(await textOf(`/${clip.playbackId}/clip-v270/${n}.m4s`)).toBe(`picture ${own} of ${film.assetId}`);
    expect(await textOf(`/${clip.playbackId}/clip-v270/init-0.mp4`)).toBe("init");
    for (const file of ["3.m4s", "init-1.mp4", "9.m4s"])
      expect(await textOf(`/${clip.playbackId}/clip-v270/${file}`)).toBe(404);
    const playlist = await textOf(`/${clip.playbackId}/clip-v270.m3u8`);
    expect(playlist).toContain('#EXT-X-MAP:URI="clip-v270/init-0.mp4"');
    expect(playlist).not.toContain("#EXT-X-PROGRAM-DATE-TIME");
    expect(await textOf(`/${clip.playbackId}.mpd`)).toContain('presentationTimeOffset="100"');
  });

  test("has an access policy of its own", async () => {
    const film = await readyFilm(workspace);
    const clip = await newClip(workspace, film.assetId, segments(0, 2), { accessPolicy: "private" });
    await until(workspace, clip.assetId, "Ready");
    expect(await textOf(`/${clip.playbackId}.m3u8`)).toBe(401);
    expect(await textOf(`/${clip.playbackId}/clip-v270/0.m4s`)).toBe(401);
    expect(await textOf(`/${film.playbackId}/v270/0.m4s`)).toContain("picture 0");
  });
});

describe("a clip that begins and ends inside of segments", () => {
  test("has an edge of its own at each end, and counts their bytes alone", async () => {
    const film = await readyFilm(workspace);
    const clip = await newClip(workspace, film.assetId, { startTime: 2, endTime: 13 });
    await until(workspace, clip.assetId, "Processing");
    await encodeEdge(clip.assetId, { job: 0, segment: 0, frames: 50 });
    await encodeEdge(clip.assetId, { job: 1, segment: 3, frames: 25 });
    await until(workspace, clip.assetId, "Ready");
    const pictures = await Promise.all([0, 1, 2, 3].map((n) => textOf(`/${clip.playbackId}/clip-v270/${n}.m4s`)));
    expect(pictures).toEqual(["an edge", `picture 1 of ${film.assetId}`, `picture 2 of ${film.assetId}`, "an edge"]);
    const playlist = await textOf(`/${clip.playbackId}/clip-v270.m3u8`);
    expect(String(playlist).match(/#EXTINF:[\d.]+/g)).toEqual([2, 4, 4, 1].map((s) => `#EXTINF:${s.toFixed(6)}`));
    const own = (await env.MEDIA.list({ prefix: `assets/${clip.assetId}/renditions/` })).objects;
    const media = own.filter(({ key }) => key.endsWith(".m4s"));
    expect(media.map(({ key }) => key.split("/").slice(3).join("/")).toSorted()).toEqual([
      "clip-a1/0.m4s",
      "clip-a1/3.m4s",
      "clip-v270/0.m4s",
      "clip-v270/3.m4s",
    ]);
    const ownBytes = media.reduce((sum, { size }) => sum + size, 0);
    expect(await storedBytes()).toBe(film.bytes + ownBytes);
    await remove(workspace, film.assetId);
    expect(await storedBytes()).toBe(film.bytes + ownBytes); // the film's bytes are still there
    await remove(workspace, clip.assetId);
    await purge(film.assetId);
    expect([await storedBytes(), await keysOf(film.assetId), await keysOf(clip.assetId)]).toEqual([0, [], []]);
  });
});

describe("the bytes of a deleted media", () => {
  test("stay for a clip whose segments are not cut yet, and go with the last one, by the sweep too", async () => {
    const film = await readyFilm(workspace);
    const clip = await newClip(workspace, film.assetId, { startTime: 2, endTime: 13 });
    await remove(workspace, film.assetId);
    expect(await textOf(`/${film.playbackId}.m3u8`)).toBe(404);
    await until(workspace, clip.assetId, "Processing");
    await encodeEdge(clip.assetId, { job: 0, segment: 0, frames: 50 });
    await encodeEdge(clip.assetId, { job: 1, segment: 3, frames: 25 });
    await until(workspace, clip.assetId, "Ready");
    expect(await textOf(`/${clip.playbackId}/clip-v270/1.m4s`)).toBe(`picture 1 of ${film.assetId}`);
    const later = new Date(Date.now() + 3_600_000);
    await sweepAssets(env, later, () => sql`1`);
    expect(await keysOf(film.assetId)).not.toEqual([]);
    await remove(workspace, clip.assetId);
    await sweepAssets(env, later, () => sql`1`);
    await purge(film.assetId);
    expect(await keysOf(film.assetId)).toEqual([]);
  });

  test("are not kept for a clip that is committed after the deletion", async () => {
    const film = await readyFilm(workspace);
    const keep = { mediaId: crypto.randomUUID(), workspaceId: workspace.id, sourceId: film.assetId, now: new Date() };
    await commit(env.DB, [keepOwner(db, keep)]);
    expect(await isShared(db, film.assetId)).toBe(true);
    await commit(env.DB, [releaseOwner(db, keep.mediaId)]);
    await remove(workspace, film.assetId);
    await commit(env.DB, [keepOwner(db, { ...keep, mediaId: crypto.randomUUID() })]);
    expect(await isShared(db, film.assetId)).toBe(false);
  });
});

/** Films and clips are numbered in the order of their creation. */
const steps = fc.array(
  fc.record({ kind: fc.constantFrom("film", "clip", "clip", "delete", "delete"), of: fc.nat(9), first: fc.nat(2) }),
  { minLength: 4, maxLength: 12 },
);

test("whatever is created and deleted: what is there plays, and what nothing uses is gone", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      workspace = await newWorkspace();
      /** `root`: the film whose segments it plays, from `from` on. */
      const media: { assetId: string; playbackId: string; root: string; from: number; isAlive: boolean }[] = [];
      const alive = () => media.filter(({ isAlive }) => isAlive);
      const films: { assetId: string; bytes: number }[] = [];
      for (const step of [{ kind: "film", of: 0, first: 0 }, ...all]) {
        if (step.kind === "film") {
          const film = await readyFilm(workspace);
          films.push(film);
          media.push({ ...film, root: film.assetId, from: 0, isAlive: true });
          continue;
        }
        const chosen = alive()[step.of % Math.max(1, alive().length)];
        if (chosen === undefined) continue;
        if (step.kind === "delete") {
          chosen.isAlive = false;
          await remove(workspace, chosen.assetId);
          if (!alive().some(({ assetId }) => assetId === chosen.root)) await purge(chosen.root);
        } else {
          const first = chosen.from + step.first > 3 ? 0 : step.first;
          const clip = await newClip(workspace, chosen.assetId, { startTime: first * SEGMENT_SECONDS });
          await until(workspace, clip.assetId, "Ready");
          media.push({ ...clip, root: chosen.root, from: chosen.from + first, isAlive: true });
        }
        const used = films.filter(({ assetId }) => alive().some(({ root }) => root === assetId));
        for (const { playbackId, root, from } of alive()) {
          const name = media.some((one) => one.playbackId === playbackId && one.assetId === root)
            ? "v270"
            : "clip-v270";
          expect(await textOf(`/${playbackId}/${name}/0.m4s`)).toBe(`picture ${from} of ${root}`);
        }
        for (const { assetId } of films)
          expect((await keysOf(assetId)).length > 0).toBe(used.some((one) => one.assetId === assetId));
        expect(await storedBytes()).toBe(used.reduce((sum, { bytes }) => sum + bytes, 0));
      }
    }),
    { numRuns: 6 },
  );
});
