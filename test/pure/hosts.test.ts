import { expect, test } from "vitest";
import { isServedHere } from "../../src/hosts.ts";

const ID = "359ae62b-c831-4064-9f10-1f24114b192c";
const PERMIT = `${ID}~1800000000-${"0".repeat(32)}-${"0".repeat(32)}`;
const HOSTS = ["api", "stream", "images", "play", "live"];

test.each<[string, string[]]>([
  ["/v1/on-demand", ["api"]],
  ["/v1/openapi.json", ["api"]],
  ["/v1/on-demand/drm/license/widevine/x?token=y", ["api", "play"]],
  ["/internal/jobs/x/heartbeat", ["api"]],
  ["/healthz", ["api"]],
  ["/mcp", ["api"]],
  ["/", ["api", "play"]],
  [`/?playbackId=${ID}`, ["api", "play"]],
  ["/player/player.js", ["api", "play"]],
  ["/player/player.js.map", ["api", "play"]],
  [`/player/${ID}`, ["play"]],
  [`/${ID}.m3u8?token=x`, ["stream", "play"]],
  [`/${ID}.mpd`, ["stream", "play"]],
  [`/${ID}/v720/0.m4s`, ["stream", "play"]],
  [`/${PERMIT}/v720/init.mp4`, ["stream", "play"]],
  [`/${ID}/text/x.vtt`, ["stream", "play"]],
  [`/${ID}/capped-4k.mp4`, ["stream", "play"]],
  ["/nonsense.m3u8", ["stream", "play"]],
  [`/${ID}/thumbnail.jpg?time=2`, ["stream", "images", "play"]],
  [`/${PERMIT}/spritesheet.json`, ["stream", "images", "play"]],
  [`/${ID}/images.m3u8`, ["stream", "images", "play"]],
  ["/ingest/key", ["live"]],
  ["/elsewhere", ["api"]],
])("%s is served by %j of the owner's domain", (path, hosts) => {
  expect(HOSTS.filter((host) => isServedHere(`https://${host}.example.com${path}`, ""))).toEqual(hosts);
});

test.each([
  ["https://video.example.com", ""],
  ["http://127.0.0.1:8787", "http://127.0.0.1:8787"],
  ["http://localhost:8787", ""],
  ["https://live.someone.workers.dev", ""],
  ["https://stream.example.com", "https://stream.example.com"],
  ["https://apis.example.com", ""],
])("%s serves every path when PUBLIC_URL is %j", (origin, publicUrl) => {
  for (const path of ["/v1/on-demand", `/${ID}.m3u8`, `/player/${ID}`, `/${ID}/thumbnail.jpg`, "/ingest/key"])
    expect(isServedHere(origin + path, publicUrl)).toBe(true);
});

test("case, port and scheme of a host do not matter", () => {
  for (const origin of ["https://STREAM.example.com", "http://stream.example.com:8080", "https://stream.localhost"])
    expect([isServedHere(`${origin}/v1/on-demand`, ""), isServedHere(`${origin}/${ID}.m3u8`, "")]).toEqual([
      false,
      true,
    ]);
});
