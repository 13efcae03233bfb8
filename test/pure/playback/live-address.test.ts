import { expect, test } from "vitest";
import { readDirectives } from "../../../src/media/live/reload.ts";
import {
  type EncryptedWith,
  type LiveAddress,
  liveAddressPath,
  readLiveAddress,
} from "../../../src/playback/live-address.ts";
import { readLiveTarget } from "../../../src/playback/live-paths.ts";

const sessionId = "11111111-2222-3333-4444-555555555555";

const NO_SELECTION = { minPx: null, maxPx: null, exactPx: null, order: null };

test.each([
  ["", ""],
  ["token=abc", ""],
  ["_HLS_part=2&x=1&_HLS_msn=7", "?_HLS_msn=7&_HLS_part=2"],
  ["_HLS_skip=v2&_HLS_msn=7", "?_HLS_msn=7&_HLS_skip=YES"],
  ["_HLS_skip=YES&_HLS_msn=07", "?_HLS_msn=7&_HLS_skip=YES"],
  ["_HLS_skip=perhaps", ""],
])("a playlist asked for with %s has one address", (query, expected) => {
  const directives = readDirectives(new URLSearchParams(query));
  if ("problem" in directives) throw new Error(directives.problem);
  const path = liveAddressPath({
    kind: "playlist",
    sessionId,
    rendition: "v720",
    directives,
    isDvr: false,
    encryption: null,
  });
  expect(path).toBe(`live/${sessionId}/v720.m3u8${expected}`);
});

const encryption = null;
const forAll: EncryptedWith = { keyId: crypto.randomUUID(), keySystems: ["widevine", "fairplay"] };
const media: EncryptedWith = { ...forAll, keySystems: [] }; // the same for all key systems

test.each<LiveAddress extends infer Address ? (Address extends unknown ? Omit<Address, "sessionId"> : never) : never>([
  {
    kind: "playlist",
    rendition: "a1",
    directives: { waitFor: { msn: 3, part: null }, skip: "YES" },
    isDvr: true,
    encryption,
  },
  { kind: "playlist", rendition: "a1", directives: { waitFor: null, skip: null }, isDvr: false, encryption: forAll },
  { kind: "init", rendition: "v1080", version: 12, encryption },
  { kind: "init", rendition: "v1080", version: 12, encryption: media },
  { kind: "media", rendition: "v1080", msn: 21_599, part: 3, encryption: media },
  { kind: "media", rendition: "v1080", msn: 0, part: null, encryption },
  { kind: "mpd", playbackId: sessionId, isDvr: true, selection: NO_SELECTION, omitsType: true, encryption },
  {
    kind: "mpd",
    playbackId: sessionId,
    isDvr: false,
    selection: { ...NO_SELECTION, maxPx: 720, order: "asc" },
    omitsType: false,
    encryption: forAll,
  },
  { kind: "thumbnail" },
])("the address of $kind says all of it", (question) => {
  const address: LiveAddress = { ...question, sessionId };
  expect(readLiveAddress(new URL(`https://inner/${liveAddressPath(address)}`))).toEqual(address);
});

test.each([
  [`/${sessionId}/${sessionId}/v720/1.01.m4s`],
  [`/${sessionId}/${sessionId}/v720/-1.m4s`],
  [`/${sessionId}/${sessionId}/v720/1.2.3.m4s`],
  [`/${sessionId}/${sessionId}/..%2fv720.m3u8`],
  [`/${sessionId}/${sessionId}`],
  [`/live/${sessionId}/v720.m3u8`],
])("%s is not an address of a session", (path) => {
  expect(readLiveTarget(path)).toBeNull();
});
