import { expect, test } from "vitest";
import { readTarget } from "../../../src/playback/paths.ts";

const ID = "0f8fad5b-d9cb-469f-a165-70867728950e";
const read = (path: string, host = "sluice.test") => readTarget(new URL(`https://${host}${path}`));

test.each([
  [`/${ID}.m3u8`, { kind: "multivariant", playbackId: ID }],
  [`/${ID}.mpd`, { kind: "mpd", playbackId: ID }],
  [`/${ID}/v1080.m3u8`, { kind: "media-playlist", playbackId: ID, rendition: "v1080" }],
  [`/${ID}/source`, { kind: "source", playbackId: ID }],
  [`/${ID}/capped-4k.mp4`, { kind: "download", playbackId: ID, file: "capped-4k" }],
  [`/${ID}/audio.m4a`, { kind: "download", playbackId: ID, file: "audio" }],
  [`/${ID}/source-a1/iframes.m3u8`, { kind: "iframe-playlist", playbackId: ID, rendition: "source-a1" }],
  [`/${ID}/v1080/init.mp4`, { kind: "segment", playbackId: ID, rendition: "v1080", file: "init" }],
  [`/${ID}/v1080/0.m4s`, { kind: "segment", playbackId: ID, rendition: "v1080", file: 0 }],
  [`/${ID}/v1080/10799.m4s`, { kind: "segment", playbackId: ID, rendition: "v1080", file: 10_799 }],
  [`/${ID}/text/${ID}.vtt`, { kind: "text", playbackId: ID, trackId: ID, file: "vtt" }],
  [
    `/${ID}/text/${ID}/7.vtt`,
    { kind: "text", playbackId: ID, trackId: ID, file: { folder: "", number: 7, span: null } },
  ],
  [
    `/${ID}/text/${ID}/7-2.vtt`,
    { kind: "text", playbackId: ID, trackId: ID, file: { folder: "", number: 7, span: 2 } },
  ],
  [
    `/${ID}/text/${ID}/v0123456789ab/7.vtt`,
    { kind: "text", playbackId: ID, trackId: ID, file: { folder: "v0123456789ab", number: 7, span: null } },
  ],
  [`/${ID}/text/${ID}.json`, { kind: "text", playbackId: ID, trackId: ID, file: "json" }],
  [`/player/${ID}`, { kind: "page", playbackId: ID }],
  ["/player/player.js", { kind: "page-file", file: "player.js" }],
  ["/player/player.css.map", { kind: "page-file", file: "player.css.map" }],
])("%s is read", (path, target) => {
  expect(read(path)).toEqual(target);
});

test.each([
  `/${ID}`,
  `/${ID}/`,
  `/${ID}/source/`,
  `/${ID}/source.mp4`,
  `/${ID}/capped-4k`,
  `/${ID}/capped-4k.m4a`,
  `/${ID}/audio.mp4`,
  `/${ID}/v1080/01.m4s`,
  `/${ID}/v1080/-1.m4s`,
  `/${ID}/text/${ID}/7-.vtt`,
  `/${ID}/text/${ID}/7-02.vtt`,
  `/${ID}/v1080/1e3.m4s`,
  `/${ID}/v1080/99999999.m4s`,
  `/${ID}/v1080/0.m4s/`,
  `/${ID}/v1080%2F0.m4s`,
  `/${ID}/..%2f..%2fsource/0.m4s`,
  `/${ID}/%2e%2e%5csource/0.m4s`,
  `/${ID}/v1080/..%5cinit.mp4`,
  `/${ID}//0.m4s`,
  `/${ID}/V1080/0.m4s`,
  `/${ID.toUpperCase()}.m3u8`,
  "/0f8fad5b-d9cb-469f-a165.m3u8",
  "/x/y/z/0.m4s",
  "/player/",
  "/player/../../etc/passwd.m4s",
  "/player/x/player.js",
  "/player/player.map",
])("%s names nothing", (path) => {
  expect(read(path)).toEqual({ kind: "nothing" });
});

test.each(["/", "/dashboard", "/v1/on-demand", "/healthz", "/playlist", `/v1/on-demand/${ID}`])(
  "%s is not an address of playback",
  (path) => {
    expect(read(path)).toBeNull();
  },
);

test("dot segments in a path are resolved before parsing, so they do not escape it", () => {
  expect(read(`/${ID}/v1080/../../../v1/on-demand`)).toBeNull();
  expect(read(`/${ID}/v1080/%2e%2e/source/0.m4s`)).toEqual({
    kind: "segment",
    playbackId: ID,
    rendition: "source",
    file: 0,
  });
});

test("hosts of the hosted page accept the id in the query", () => {
  expect(read(`/?playbackId=${ID}`, "play.sluice.test")).toEqual({ kind: "page", playbackId: ID });
  expect(read("/?playbackId=<script>", "play.sluice.test")).toEqual({ kind: "nothing" });
  expect(read(`/?playbackId=${ID}`)).toBeNull();
});
