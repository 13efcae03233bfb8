/** The record of a view, from its events (media contract, analytics: "View record" and "Formulas"). */
import { describe, expect, test } from "vitest";
import { edgeFactsOf } from "../../../src/analytics/beacons/read-edge-facts.ts";
import { readBatch } from "../../../src/analytics/beacons/beacon-batch.ts";
import { mergeEvents } from "../../../src/analytics/views/merged-view.ts";
import type { ViewEvent } from "../../../src/analytics/views/view-event.ts";
import { viewRecordOf } from "../../../src/analytics/views/view-record.ts";

const VIEW_ID = "b05e3c81-f72d-4a96-8e14-6d9c02f7b53a";
const START_MS = Date.UTC(2026, 4, 20, 13);

/** @param events name, ms after the start, and the keys of the beacon */
function recordOf(...events: [name: string, ms: number, keys?: Record<string, unknown>][]) {
  const sent = events.map(([evna, ms, keys], index) => {
    return { veid: VIEW_ID, vesqnu: index + 1, evna, vitp: START_MS + ms, ...keys };
  });
  const read = readBatch(JSON.stringify({ events: sent }));
  const own = read.events.map(({ sequence, name, viewerAtMs, fields }): ViewEvent => {
    return { sequence, name, atMs: viewerAtMs!, fields };
  });
  return viewRecordOf(mergeEvents(own), {
    workspaceId: "",
    viewId: VIEW_ID,
    edge: edgeFactsOf(new Headers(), undefined),
    content: null,
    isFinal: true,
    insertedAtMs: START_MS,
    updatedAtMs: START_MS,
  });
}

describe("the start of a view", () => {
  test("is viewBegin, although the player reported its own start before", () => {
    const view = recordOf(
      ["playerReady", 0],
      ["loadstart", 1500],
      ["viewBegin", 4000, { vewati: 0 }],
      ["viewCompleted", 9000, { vewati: 5000 }],
    );
    expect([view.viewStartMs - START_MS, view.viewEndMs - START_MS]).toEqual([4000, 9000]);
  });

  test("is viewBegin too for the figures of a player that states none", () => {
    const view = recordOf(["playerReady", 0], ["viewBegin", 4000], ["playing", 4300], ["viewCompleted", 9000]);
    expect(view).toMatchObject({ videoStartupTime: 300, watchTime: 5000, viewPlayingTime: 4700 });
  });

  test("is the earliest event while viewBegin is missing", () => {
    const view = recordOf(["playing", 500, { vetitofifr: 400 }], ["pulse", 9000]);
    expect(view.viewStartMs - START_MS).toBe(500);
  });
});

describe("playing time", () => {
  const failing = { plercd: 3, plerms: "PIPELINE_ERROR_DECODE" };

  test("is 0 for a view that failed before its first picture, whose whole time was startup", () => {
    const stated = recordOf(
      ["viewBegin", 0, { vewati: 0 }],
      ["error", 1000, { ...failing, vewati: 1000 }],
      ["viewCompleted", 5000, { vewati: 5000 }],
    );
    expect(stated).toMatchObject({ watchTime: 5000, viewPlayingTime: 0, videoStartupFailed: true });
    const unstated = recordOf(["viewBegin", 0], ["error", 1000, failing], ["viewCompleted", 5000]);
    expect(unstated).toMatchObject({ viewPlayingTime: 0, videoStartupFailed: true });
  });

  test("is 0 for a view that was left before its first picture, whatever the player calls its waiting", () => {
    const view = recordOf(["viewBegin", 0], ["viewCompleted", 5000, { vewati: 5000, verbdu: 2000, vesedu: 500 }]);
    expect(view).toMatchObject({ viewPlayingTime: 0, exitBeforeVideoStart: true });
  });

  test("leaves out startup, seeking and stalls", () => {
    const figures = { vetitofifr: 400, vewati: 10_000, vesedu: 600, verbdu: 1000 };
    const view = recordOf(["viewBegin", 0], ["playing", 400], ["viewCompleted", 10_000, figures]);
    expect(view.viewPlayingTime).toBe(8000);
  });
});

describe("of the source,", () => {
  const url = "https://Media.Stream.example.com:8443/7a1e5c94/master.m3u8?token=t";

  test("host, domain and CDN come from the URL when the player states it alone, as SDKs of mobile apps do", () => {
    expect(recordOf(["viewBegin", 0, { vdsour: url }])).toMatchObject({
      videoSourceHostname: "media.stream.example.com",
      videoSourceDomain: "example.com",
      playerSourceDomain: "example.com",
      cdn: "example.com",
    });
  });

  test("what the player states wins", () => {
    const stated = { vdsour: url, vdsohn: "edge.example.net", vdsodn: "example.org", vdcn: "cdn-1" };
    expect(recordOf(["viewBegin", 0, stated])).toMatchObject({
      videoSourceHostname: "edge.example.net",
      videoSourceDomain: "example.org",
      cdn: "cdn-1",
    });
    expect(recordOf(["viewBegin", 0, { vdsohn: "edge.example.net" }]).videoSourceDomain).toBe("example.net");
  });

  test.each([
    ["http://192.0.2.7:8787/a.m3u8", "192.0.2.7", "192.0.2.7"],
    ["http://[2001:db8::7]/a.m3u8", "[2001:db8::7]", "[2001:db8::7]"],
    ["http://localhost:8787/a.m3u8", "localhost", "localhost"],
    ["MSE style URL", null, null],
    ["blob:https://www.example.com/4f1a", null, null],
  ])("%s has the host %s and the domain %s", (address, host, domain) => {
    const view = recordOf(["viewBegin", 0, { vdsour: address }]);
    expect([view.videoSourceHostname, view.videoSourceDomain, view.cdn]).toEqual([host, domain, domain]);
  });

  test("no address has its query or a permit, which would play it", () => {
    const permit = `~495231-${"a".repeat(32)}-${"b".repeat(32)}`;
    const addresses = {
      vdsour: `https://stream.example.com/${VIEW_ID}${permit}.m3u8?token=t`,
      vdpour: `https://images.example.com/${VIEW_ID}${permit}/thumbnail.jpg?token=t`,
      paur: "https://www.example.com/watch/~me?token=t#t=4",
    };
    expect(recordOf(["viewBegin", 0, addresses])).toMatchObject({
      videoSourceUrl: `https://stream.example.com/${VIEW_ID}.m3u8`,
      playerPoster: `https://images.example.com/${VIEW_ID}/thumbnail.jpg`,
      viewPageUrl: "https://www.example.com/watch/~me",
    });
  });

  test("the MIME type comes with either of its keys, and the SDK's API version with its own", () => {
    expect(recordOf(["viewBegin", 0, { vdsomity: "application/x-mpegURL", fpaivn: "2.1" }])).toMatchObject({
      videoSourceType: "application/x-mpegURL",
      fpApiVersion: "2.1",
    });
    expect(recordOf(["viewBegin", 0, { vdsoty: "video/mp4" }])).toMatchObject({
      videoSourceType: "video/mp4",
      fpApiVersion: null,
    });
  });
});
