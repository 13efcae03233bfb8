import { CueList, Payload } from "./cue.ts";
import { Lines } from "./lines.ts";
import { cleanMarkup } from "./markup.ts";
import { parseTimestamp } from "./timestamps.ts";

const TIMING = /^\s*(-?[\d:.,]{4,24})\s*--+>\s*(-?[\d:.,]{4,24})(?:\s+(.*))?$/;

export const isWebVtt = (text: string): boolean => /^\uFEFF?WEBVTT(?:[ \t\n\r]|$)/.test(text);

/** A timing line of WebVTT or SRT. `null` = it is none. */
export function readTiming(lineOfText: string): { startMs: number; endMs: number; rest: string } | null {
  if (lineOfText.length > 1024 || !lineOfText.includes(">")) return null;
  const [, from = "", to = "", rest = ""] = TIMING.exec(lineOfText) ?? [];
  const [startMs, endMs] = [parseTimestamp(from), parseTimestamp(to)];
  return startMs === null || endMs === null ? null : { startMs, endMs, rest };
}

/** Of a line that is shown. */
const MOST_SHOWN = 60;
/** Only timing lines have the arrow (W3C WebVTT §4.1). Whoever edits a file may also write `->` behind a time. */
const isBrokenTiming = (line: string): boolean =>
  !line.startsWith("NOTE") && (line.includes("-->") || /^\s*[\d.,]*:[\d:.,]*\s*->/.test(line));

/**
 * Cues of a WebVTT file (W3C WebVTT §6.1). `STYLE`, `REGION` and `NOTE` blocks are left out: styles can name addresses that a player would
 * request. A file without the timestamp map of HLS begins at 0; with one, its offset is applied.
 */
export function parseWebVtt(text: string): CueList {
  const list = new CueList();
  const offsetMs = timestampMap(text);
  const lines = new Lines(text);
  lines.next();
  for (let line = lines.next(); line !== null; line = lines.next()) {
    const timing = readTiming(line);
    if (timing === null) {
      if (isBrokenTiming(line)) list.skip(null, `its times cannot be read: \`${line.trim().slice(0, MOST_SHOWN)}\``);
      continue;
    }
    const payload = new Payload();
    for (let next = lines.peek(); next !== null && next.trim() !== "" && !next.includes("-->"); next = lines.peek())
      payload.add(lines.next()!);
    const { startMs, endMs, rest } = timing;
    const text = cleanMarkup(payload.text());
    list.add({ startMs: startMs + offsetMs, endMs: endMs + offsetMs, settings: cleanSettings(rest), text });
  }
  return list;
}

/** Offset by `X-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000` (RFC 8216 §3.5), relative to media that begin at 0. */
function timestampMap(text: string): number {
  const lines = new Lines(text);
  for (let number = 0; number < 8; number += 1) {
    const row = lines.next() ?? "";
    if (!row.startsWith("X-TIMESTAMP-MAP=")) continue;
    const [, ticks] = /MPEGTS:(\d{1,16})/.exec(row) ?? [];
    const [, local = "0:00"] = /LOCAL:([\d:.]+)/.exec(row) ?? [];
    // Segmenters of whole files begin at 10 s of the transport stream's clock, which is no offset of the captions.
    return Number(ticks) === 900_000 ? 0 : Number(ticks ?? 0) / 90 - (parseTimestamp(local) ?? 0);
  }
  return 0;
}

const PERCENT = "(?:100|\\d{1,2})(?:\\.\\d{1,3})?%";
const SETTINGS = [
  new RegExp(`^vertical:(?:rl|lr)$`),
  new RegExp(`^line:(?:-?\\d{1,3}|${PERCENT})(?:,(?:start|center|end))?$`),
  new RegExp(`^position:${PERCENT}(?:,(?:line-left|center|line-right))?$`),
  new RegExp(`^size:${PERCENT}$`),
  /^align:(?:start|center|end|left|right)$/,
];

/** The known settings of a cue, each once. Regions are left out, as their definitions are. */
export function cleanSettings(text: string): string {
  const given = text
    .trim()
    .replace(/\balign:middle\b/, "align:center")
    .split(/\s+/, 16);
  return SETTINGS.flatMap((form) => given.find((one) => form.test(one)) ?? []).join(" ");
}
