/** A broadcast that is forwarded to another server, here another stream of the same platform, over real RTMP. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBroadcaster } from "../support/clock-broadcaster.ts";
import { eventTypesOf, eventually, newLiveStream, streamOf, untilSegment } from "../support/live-watch.ts";
import { startTestPlatform, type TestPlatform } from "../support/platform.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform({ withIngest: true, vars: { LIVE_WAIT_SCALE: "0.02" } });
});
afterAll(async () => {
  await platform?.stop();
  await platform?.removeHome();
});

test("a target gets the broadcast until it is disabled, and a refusing target does not affect the broadcast", async () => {
  const [source, other] = [await newLiveStream(platform), await newLiveStream(platform)];
  const add = async (url: string, streamKey: string) => {
    const path = `/v1/live/streams/${source.streamId}/simulcast`;
    const { status, body } = await platform.api<{ simulcastId: string }>("POST", path, { url, streamKey });
    expect(status).toBe(201);
    return `${path}/${body.data.simulcastId}`;
  };
  const at = other.ingest.rtmp.lastIndexOf("/");
  const good = await add(other.ingest.rtmp.slice(0, at), other.ingest.rtmp.slice(at + 1));
  const bad = await add(other.ingest.rtmp.slice(0, at), "a-key-of-nobody");
  const stateOf = async (path: string) =>
    (await platform.api<{ state: string; failure?: { reason: string } }>("GET", path)).body.data;
  const broadcaster = await startBroadcaster(source.ingest.rtmp, {
    widthPx: 320,
    heightPx: 180,
    frameRate: 15,
    bitrateBps: 400_000,
    keySeconds: 1,
  });
  try {
    await untilSegment(platform, source);
    await untilSegment(platform, other);
    await eventually("the record of the refusing target has its reason", async () => {
      const { state, failure } = await stateOf(bad);
      return state === "failed" && failure?.reason === "refused" ? true : null;
    });
    expect(await stateOf(good)).toMatchObject({ state: "broadcasting" });
    await platform.api("PUT", good, { isEnabled: false });
    await eventually("the other stream is idle", async () =>
      (await streamOf(platform, other)).status === "idle" ? true : null,
    );
    expect((await streamOf(platform, source)).status).toBe("active");
    const reported = (await eventTypesOf(platform, source.streamId)).filter((type) =>
      type.includes("simulcast_target"),
    );
    const [starting, broadcasting] = ["starting", "broadcasting"].map(
      (what) => `video.live_stream.simulcast_target.${what}`,
    );
    expect(reported.filter((type) => type === starting)).toHaveLength(2);
    expect(reported.filter((type) => type === broadcasting)).toHaveLength(1);
    expect((await streamOf(platform, source)).mediaIds).toHaveLength(1);
  } finally {
    await broadcaster.stop();
  }
});
