/** Old addresses of each platform, and where they lead to. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readAddress } from "../../../../src/imports/cutover/layouts.ts";
import { originFor } from "../../../../src/imports/cutover/origin-for.ts";
import { migratedTarget } from "../../../../src/imports/cutover/target.ts";
import { SOURCE_KINDS, type SourceKind } from "../../../../src/imports/sources/source.ts";
import { readClip, readStill } from "../../../../src/media/images/parameters.ts";
import { readSelection } from "../../../../src/media/manifest/selection.ts";

const NEW = "359ae62b-c831-4064-9f10-1f24114b192c";

/** Where an old address leads to when this is the only id that was migrated; null = nowhere. */
function leadsTo(source: SourceKind, id: string, address: string): string | null {
  const [path = "", query = ""] = address.split("?");
  const reading = readAddress(source, path).find(({ oldPlaybackId }) => oldPlaybackId === id);
  return reading === undefined
    ? null
    : migratedTarget(reading.resource, NEW, new URLSearchParams(query)).replace(NEW, "NEW");
}

describe.each<[SourceKind, string, [address: string, target: string | null][]]>([
  [
    "mux",
    "uNbxnGLKJ00yfbijDO8",
    [
      ["uNbxnGLKJ00yfbijDO8.m3u8", "/NEW.m3u8"],
      [
        "uNbxnGLKJ00yfbijDO8.m3u8?max_resolution=720p&rendition_order=desc&token=ey",
        "/NEW.m3u8?maxResolution=720p&renditionOrder=desc",
      ],
      ["uNbxnGLKJ00yfbijDO8.m3u8?max_resolution=8k&min_resolution=1080p", "/NEW.m3u8?minResolution=1080p"],
      ["uNbxnGLKJ00yfbijDO8/thumbnail.jpg", "/NEW/thumbnail.jpg"],
      [
        "uNbxnGLKJ00yfbijDO8/thumbnail.webp?time=12.5&width=640&fit_mode=smartcrop&flip_h=true&rotate=90",
        "/NEW/thumbnail.webp?time=12.5&width=640&fit_mode=smartcrop&rotate=90&flip=h",
      ],
      [
        "uNbxnGLKJ00yfbijDO8/animated.gif?start=2&end=4&width=320&fps=15",
        "/NEW/clip.gif?start=2&end=4&width=320&fps=15",
      ],
      ["uNbxnGLKJ00yfbijDO8/animated.webp?start=4&end=2", "/NEW/clip.webp?start=4"],
      ["uNbxnGLKJ00yfbijDO8/storyboard.vtt?format=webp", "/NEW/storyboard.vtt"],
      ["uNbxnGLKJ00yfbijDO8/storyboard.json", "/NEW/spritesheet.json"],
      ["uNbxnGLKJ00yfbijDO8/storyboard.png", "/NEW/spritesheet.jpg"],
      ["uNbxnGLKJ00yfbijDO8/highest.mp4?download=x", "/NEW/capped-4k.mp4"],
      ["uNbxnGLKJ00yfbijDO8/capped-1080p.mp4", "/NEW/capped-4k.mp4"],
      ["uNbxnGLKJ00yfbijDO8/low.mp4", "/NEW/capped-4k.mp4"],
      ["uNbxnGLKJ00yfbijDO8/audio.m4a", "/NEW/audio.m4a"],
      ["uNbxnGLKJ00yfbijDO8", "/player/NEW"],
      ["uNbxnGLKJ00yfbijDO8/text/track.vtt", null],
      ["uNbxnGLKJ00yfbijDO8/anything.mp4", null],
    ],
  ],
  [
    "cloudflare_stream",
    "6b9e68b07dfee8cc2d116e4c51d6a957",
    [
      ["6b9e68b07dfee8cc2d116e4c51d6a957/manifest/video.m3u8?clientBandwidthHint=10", "/NEW.m3u8"],
      ["6b9e68b07dfee8cc2d116e4c51d6a957/manifest/video.mpd", "/NEW.mpd"],
      ["6b9e68b07dfee8cc2d116e4c51d6a957/iframe?poster=https%3A%2F%2Fevil.test%2Fx.jpg&autoplay=true", "/player/NEW"],
      ["6b9e68b07dfee8cc2d116e4c51d6a957/watch", "/player/NEW"],
      ["6b9e68b07dfee8cc2d116e4c51d6a957", "/player/NEW"],
      [
        "6b9e68b07dfee8cc2d116e4c51d6a957/thumbnails/thumbnail.jpg?time=5m2s&height=270&fit=clip",
        "/NEW/thumbnail.jpg?time=302&height=270&fit_mode=preserve",
      ],
      [
        "6b9e68b07dfee8cc2d116e4c51d6a957/thumbnails/thumbnail.gif?time=1s&duration=4s&height=200&fps=8",
        "/NEW/clip.gif?start=1&end=5&height=200&fps=8",
      ],
      [
        "6b9e68b07dfee8cc2d116e4c51d6a957/thumbnails/thumbnail.gif?time=1m&duration=60s",
        "/NEW/clip.gif?start=60&end=70",
      ],
      ["6b9e68b07dfee8cc2d116e4c51d6a957/downloads/default.mp4", "/NEW/capped-4k.mp4"],
    ],
  ],
  [
    "api_video",
    "vi4blUQJFrYWbaG44NChkH27",
    [
      ["vod/vi4blUQJFrYWbaG44NChkH27/hls/manifest.m3u8", "/NEW.m3u8"],
      ["vod/vi4blUQJFrYWbaG44NChkH27/token/aafe99ed/hls/manifest.m3u8", "/NEW.m3u8"],
      ["vod/vi4blUQJFrYWbaG44NChkH27/thumbnail.jpg", "/NEW/thumbnail.jpg"],
      ["vod/vi4blUQJFrYWbaG44NChkH27/token/aafe99ed/thumbnail.jpg", "/NEW/thumbnail.jpg"],
      ["vod/vi4blUQJFrYWbaG44NChkH27/mp4/source.mp4", "/NEW/capped-4k.mp4"],
      ["vod/vi4blUQJFrYWbaG44NChkH27", "/player/NEW"],
      ["vi4blUQJFrYWbaG44NChkH27/hls/manifest.m3u8", "/NEW.m3u8"],
    ],
  ],
  [
    "vimeo",
    "268931179",
    [
      ["video/268931179?h=0123abcd&autoplay=1", "/player/NEW"],
      ["268931179", "/player/NEW"],
      ["268931179/0123abcdef", "/player/NEW"],
      ["external/268931179.m3u8?s=0123", "/NEW.m3u8"],
      ["external/268931179.hd.mp4?s=0123&profile_id=175", "/NEW/capped-4k.mp4"],
      [
        "progressive_redirect/playback/268931179/rendition/1080p/file.mp4?loc=external&signature=s",
        "/NEW/capped-4k.mp4",
      ],
    ],
  ],
  [
    "s3",
    "films/a b.mp4",
    [
      ["films/a%20b.mp4", "/NEW/capped-4k.mp4"],
      ["films%2Fa%20b.mp4", "/NEW/capped-4k.mp4"],
      ["films%2Fa%20b.mp4.m3u8", "/NEW.m3u8"],
      ["films/a%20b.mp4/thumbnail.jpg?time=3", "/NEW/thumbnail.jpg?time=3"],
      ["films/a%20b", null],
    ],
  ],
  [
    "list",
    "https://cdn.test/a.mp4?v=1",
    [
      ["https%3A%2F%2Fcdn.test%2Fa.mp4%3Fv%3D1.m3u8", "/NEW.m3u8"],
      ["https%3A%2F%2Fcdn.test%2Fa.mp4%3Fv%3D1/manifest/video.m3u8", "/NEW.m3u8"],
      ["https%3A%2F%2Fcdn.test%2Fa.mp4%3Fv%3D1/iframe", "/player/NEW"],
      ["https%3A%2F%2Fcdn.test%2Fa.mp4%3Fv%3D1", "/player/NEW"],
    ],
  ],
])("%s", (source, id, addresses) => {
  test.each(addresses)("%s leads to %j", (address, target) => {
    expect(leadsTo(source, id, address)).toBe(target);
  });
});

test("an id that ends like a layout is read before the id within it", () => {
  const ids = (path: string) => readAddress("list", path).map(({ oldPlaybackId }) => oldPlaybackId);
  expect(ids("x/high.mp4")).toEqual(["x/high.mp4", "x/high", "x"]);
  expect(ids("x.mp4")).toEqual(["x.mp4", "x"]);
});

test("malformed, empty and endless paths have no reading", () => {
  for (const source of SOURCE_KINDS)
    for (const path of ["", "%zz", "%ff.m3u8", ".m3u8", "/thumbnail.jpg", "x".repeat(5000)])
      expect(
        readAddress(source, path).every(
          ({ oldPlaybackId }) => oldPlaybackId.length > 0 && oldPlaybackId.length <= 1024,
        ),
      ).toBe(true);
  expect(readAddress("mux", "x".repeat(5000))).toEqual([]);
  expect(readAddress("mux", "%zz.m3u8")).toEqual([]);
});

test("whatever an address has, the target is made of the new ID, and our own parsers accept its query", () => {
  const names = [
    "time",
    "start",
    "end",
    "duration",
    "width",
    "height",
    "fps",
    "fit",
    "fit_mode",
    "rotate",
    "flip_h",
    "max_resolution",
    "min_resolution",
    "token",
    "rendition_order",
  ];
  const value = fc.oneof(
    fc.string(),
    fc.nat().map(String),
    fc.double({ min: 0, noNaN: true }).map(String),
    fc.constantFrom("720p", "240p", "2160p", "5m2s", "crop", "true", "90", "__proto__"),
  );
  const query = fc.array(fc.tuple(fc.constantFrom(...names), value));
  const kinds = [
    { kind: "hls" },
    { kind: "dash" },
    { kind: "still", format: "jpg" },
    { kind: "clip", format: "gif" },
    { kind: "page" },
    { kind: "mp4" },
  ] as const;
  fc.assert(
    fc.property(fc.constantFrom(...kinds), query, (resource, pairs) => {
      const target = migratedTarget(resource, NEW, new URLSearchParams(pairs));
      const url = new URL(target, "https://sluice.test");
      expect(url.pathname).toMatch(
        new RegExp(`^(?:/player)?/${NEW}(?:\\.m3u8|\\.mpd|/thumbnail\\.jpg|/clip\\.gif|/capped-4k\\.mp4)?$`),
      );
      expect(url.host).toBe("sluice.test");
      if (resource.kind === "still") readStill(url.searchParams);
      if (resource.kind === "clip") readClip(url.searchParams);
      if (resource.kind === "hls" || resource.kind === "dash") readSelection(url.searchParams);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ["https://video.example.com/migrated/x", "page", ""],
  ["https://api.example.com/migrated/x", "hls", "https://stream.example.com"],
  ["https://images.example.com/migrated/x", "page", "https://play.example.com"],
  ["https://stream.someone.workers.dev/migrated/x", "page", ""],
  ["http://api.localhost:8787/migrated/x", "hls", "http://stream.localhost:8787"],
] as const)("without PUBLIC_URL, %s leads a %s to %j", (url, kind, origin) => {
  expect(originFor(new URL(url), { kind })).toBe(origin);
});
