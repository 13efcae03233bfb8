/** Captions that the platform finds or makes itself. */
import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { addCaptionTrack } from "../../../../src/library/tracks/add-caption-track.ts";
import { forgetPlayback } from "../../../../src/playback/index.ts";
import { eventsOf } from "../../events/webhooks/webhook-rows.ts";
import { addRung, get, newAsset } from "../../playback/playable.ts";

test("captions become a track that is available at once, and only once", async () => {
  const { assetId, playbackId } = await newAsset({ status: "ready", stage: "done" });
  await addRung(assetId);
  const key = { assetId, trackId: crypto.randomUUID() };
  const labels = { languageCode: "en", languageName: "English", closedCaptions: true };
  const cues = [{ startMs: 1000, endMs: 2000, settings: "line:0", text: "Hello" }];
  const add = () => addCaptionTrack(env, key, labels, { cues, skipped: 0 }, new Date());
  expect((await add())?.track).toMatchObject({ id: key.trackId, status: "available", url: null });
  expect(await add()).toBeNull();
  forgetPlayback(playbackId);
  expect(await (await get(`/${playbackId}.m3u8`)).text()).toContain('NAME="English",LANGUAGE="en"');
  expect(await (await get(`/${playbackId}/text/${key.trackId}/0.vtt`)).text()).toContain("line:0\nHello");
  expect((await eventsOf(assetId)).map(({ videoType }) => videoType)).toEqual([
    "video.media.track.created",
    "video.media.track.ready",
    "video.media.updated",
  ]);
  expect(
    await addCaptionTrack(env, { ...key, assetId: crypto.randomUUID() }, labels, { cues, skipped: 0 }, new Date()),
  ).toBeNull();
});
