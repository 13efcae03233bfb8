/** Which renditions of a media its clips get. */
import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { ownerRows } from "../../../../src/library/asset-machine/clips/owner-rows.ts";
import { newTrack } from "../../../../src/library/tracks/store/new-track.ts";
import { audioRenditionOf } from "../../../../src/library/tracks/store/repository.ts";
import { addedTracks } from "../../../../src/library/tracks/store/tables.ts";
import { openDatabase } from "../../../../src/platform/database.ts";
import { addRung, newAsset } from "../../playback/playable.ts";

const SOUND = { kind: "audio", widthPx: null, heightPx: null, timescale: 48_000 } as const;

async function film() {
  const { assetId } = await newAsset({ status: "ready" });
  await addRung(assetId, "v1080", { widthPx: 1920, heightPx: 1080 });
  await addRung(assetId, "v480", { widthPx: 854, heightPx: 480 });
  await addRung(assetId, "a1", SOUND);
  return assetId;
}

/** Sound that has been added, under a name of its own. */
async function addSound(assetId: string, languageName: string, change: object = {}): Promise<string> {
  const request = { kind: "audio", url: null, languageCode: "it", languageName, ...change } as const;
  const track = newTrack(request, assetId, new Date());
  await openDatabase(env.DB)
    .insert(addedTracks)
    .values({ ...track, status: "available" });
  await addRung(assetId, audioRenditionOf(track.id), { ...SOUND, origin: "track" });
  return audioRenditionOf(track.id);
}

const namesOf = async (assetId: string, most: "1080p" | "720p" | "480p" = "1080p") =>
  (await ownerRows(env, assetId, most)).map(({ name }) => name);

test("the pictures up to the largest resolution, or else the smallest, and every sound", async () => {
  const assetId = await film();
  expect(await namesOf(assetId)).toEqual(["v1080", "v480", "a1"]);
  expect(await namesOf(assetId, "720p")).toEqual(["v480", "a1"]);
  const { assetId: large } = await newAsset({ status: "ready" });
  await addRung(large, "v720", { widthPx: 1280, heightPx: 720 });
  expect(await namesOf(large, "480p")).toEqual(["v720"]);
});

test("sound that was added, with the labels of its track, and without sound that it has replaced", async () => {
  const assetId = await film();
  const added = await addSound(assetId, "Italian");
  const rows = await ownerRows(env, assetId, "480p");
  expect(rows.map(({ name, languageName }) => [name, languageName])).toEqual([
    ["v480", null],
    ["a1", null],
    [added, "Italian"],
  ]);
  const replacing = await addSound(assetId, "Mix", { replacesSound: true });
  expect((await namesOf(assetId)).filter((name) => name.startsWith("a")).toSorted()).toEqual(
    [added, replacing].toSorted(),
  );
});

test("the source as the top rung, and no growing rendition", async () => {
  const assetId = await film();
  await addRung(assetId, "source-v", { origin: "passthrough", isTopRung: true, widthPx: 1920, heightPx: 1080 });
  await addRung(assetId, "v720", { isWhole: false });
  expect((await namesOf(assetId)).toSorted()).toEqual(["a1", "source-v", "v1080", "v480"]);
});
