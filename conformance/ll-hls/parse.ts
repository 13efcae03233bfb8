import { placeOf, readAttributes, readByteRange, readNumber, type ByteRange } from "./attributes.ts";
import type { MediaPlaylist, Segment } from "./playlist.ts";

/** Attributes of the segment being parsed. */
const blank = () => ({
  range: null as ByteRange | null,
  durationS: null as number | null,
  parts: [] as Segment["parts"],
  dateMs: null as number | null,
  isDiscontinuous: false,
  isGap: false,
  lines: [] as string[],
});

/** Parses a media playlist (§4). It never throws: violations are in `problems`, and the rest is parsed as far as possible. */
export function parseMediaPlaylist(text: string, url: string): MediaPlaylist {
  const lines = text.split(/\r?\n/);
  const playlist: MediaPlaylist = {
    url,
    lines,
    version: null,
    targetDurationS: null,
    partTargetS: null,
    serverControl: null,
    mediaSequence: 0,
    discontinuitySequence: null,
    hasIndependentSegments: false,
    playlistType: null,
    skipped: null,
    segments: [],
    hints: [],
    reports: [],
    hasEnded: false,
    problems: [],
  };
  const problem = (words: string) => void playlist.problems.push(words);
  const absolute = (uri: string) => (URL.canParse(uri, url) ? new URL(uri, url).href : uri);
  const ends = new Map<string, number>(); // where the last byte range of a resource ended
  const ranged = (text: string | undefined, uri: string) => {
    const range = readByteRange(text, ends.get(uri) ?? 0);
    if (range !== null) ends.set(uri, range.offset + (range.length ?? 0));
    return range;
  };
  let pending = blank();
  let rangeText: string | undefined;
  let map: Segment["map"] = null;
  let discontinuities = 0;

  const close = (uri: string | null) => {
    if (pending.isDiscontinuous) discontinuities += 1;
    playlist.segments.push({
      ...pending,
      uri,
      range: uri === null ? null : ranged(rangeText, uri),
      map,
      msn: playlist.mediaSequence + (playlist.skipped ?? 0) + playlist.segments.length,
      discontinuitySequence: (playlist.discontinuitySequence ?? 0) + discontinuities,
    });
    pending = blank();
    rangeText = undefined;
  };

  if (lines[0] !== "#EXTM3U") problem("the first line is not #EXTM3U");
  for (const line of lines) {
    if (line === "") continue;
    if (!line.startsWith("#")) {
      if (pending.durationS === null) problem(`a segment without EXTINF: ${line}`);
      pending.lines.push(line);
      close(absolute(line));
      continue;
    }
    const [, name = "", value = ""] = /^#([A-Z0-9-]+)(?::(.*))?$/.exec(line) ?? [];
    const attributes = readAttributes(value);
    const number = readNumber(value);
    const needed = (key: string) => attributes.get(key) ?? (problem(`no ${key}: ${line}`), "");
    switch (name) {
      case "EXT-X-VERSION":
        playlist.version = number;
        break;
      case "EXT-X-TARGETDURATION":
        playlist.targetDurationS = number;
        break;
      case "EXT-X-PART-INF":
        playlist.partTargetS = readNumber(needed("PART-TARGET"));
        break;
      case "EXT-X-SERVER-CONTROL":
        playlist.serverControl = attributes;
        break;
      case "EXT-X-MEDIA-SEQUENCE":
        if (playlist.segments.length > 0) problem("EXT-X-MEDIA-SEQUENCE behind a segment");
        playlist.mediaSequence = number ?? 0;
        break;
      case "EXT-X-DISCONTINUITY-SEQUENCE":
        if (playlist.segments.length > 0) problem("EXT-X-DISCONTINUITY-SEQUENCE behind a segment");
        playlist.discontinuitySequence = number ?? 0;
        break;
      case "EXT-X-INDEPENDENT-SEGMENTS":
        playlist.hasIndependentSegments = true;
        break;
      case "EXT-X-PLAYLIST-TYPE":
        playlist.playlistType = value;
        break;
      case "EXT-X-SKIP":
        if (playlist.segments.length > 0) problem("EXT-X-SKIP behind a segment");
        playlist.skipped = readNumber(needed("SKIPPED-SEGMENTS")) ?? 0;
        break;
      case "EXT-X-ENDLIST":
        playlist.hasEnded = true;
        break;
      case "EXT-X-MAP": {
        const uri = absolute(needed("URI"));
        map = { uri, range: ranged(attributes.get("BYTERANGE"), uri) };
        break;
      }
      case "EXTINF":
        pending.durationS = readNumber(value.split(",")[0]);
        if (pending.durationS === null || !value.includes(",")) problem(`no duration and comma: ${line}`);
        pending.lines.push(line);
        break;
      case "EXT-X-BYTERANGE":
        rangeText = value;
        pending.lines.push(line);
        break;
      case "EXT-X-PROGRAM-DATE-TIME":
        pending.dateMs = Number.isNaN(Date.parse(value)) ? null : Date.parse(value);
        if (pending.dateMs === null) problem(`no date: ${line}`);
        pending.lines.push(line);
        break;
      case "EXT-X-DISCONTINUITY":
        pending.isDiscontinuous = true;
        pending.lines.push(line);
        break;
      case "EXT-X-GAP":
        pending.isGap = true;
        pending.lines.push(line);
        break;
      case "EXT-X-PART": {
        const uri = absolute(needed("URI"));
        pending.parts.push({
          uri,
          range: ranged(attributes.get("BYTERANGE"), uri),
          durationS: readNumber(needed("DURATION")) ?? 0,
          isIndependent: attributes.get("INDEPENDENT") === "YES",
          isGap: attributes.get("GAP") === "YES",
          line,
        });
        break;
      }
      case "EXT-X-PRELOAD-HINT": {
        const [start, length] = [attributes.get("BYTERANGE-START"), attributes.get("BYTERANGE-LENGTH")].map(readNumber);
        const range = start == null && length == null ? null : { offset: start ?? 0, length: length ?? null };
        playlist.hints.push({ type: needed("TYPE"), uri: absolute(needed("URI")), range, line });
        break;
      }
      case "EXT-X-RENDITION-REPORT":
        playlist.reports.push({
          uri: absolute(needed("URI")),
          lastMsn: readNumber(attributes.get("LAST-MSN")),
          lastPart: readNumber(attributes.get("LAST-PART")),
          line,
        });
    }
  }
  if (pending.parts.length > 0) close(null);
  const places = playlist.segments.flatMap(({ uri, range }) => (uri === null ? [] : [placeOf(uri, range)]));
  if (new Set(places).size !== places.length) problem("two segments are the same bytes");
  return playlist;
}
