import type { Mpd } from "../manifest.ts";
import { eachOf, must, type Rule } from "../rule.ts";

const schema: Rule["judge"] = ({ manifests }, { seen, fault }) => {
  for (const { url, status, schemaErrors, problem } of manifests) {
    if (status !== 200) continue;
    const [first] = problem === null ? schemaErrors : [problem];
    if (first === undefined) seen();
    else fault(url, "a valid MPD", first);
  }
};

const headers: Rule["judge"] = ({ manifests }, { seen, fault }) => {
  for (const { url, status, headers } of manifests) {
    const type = headers["content-type"]?.split(";")[0];
    if (status !== 200 || type === undefined) continue;
    if (type === "application/dash+xml") seen();
    else fault(url, "application/dash+xml", type);
  }
};

const date: Rule["judge"] = ({ manifests, media }, { seen, fault }) => {
  for (const { url, status, headers } of [...manifests, ...media.values()]) {
    if (status === 0) continue;
    if (Number.isFinite(Date.parse(headers.date ?? ""))) seen();
    else fault(url, "a Date header", headers.date ?? "none");
  }
};

const missing = ({ attributes }: Mpd, ...names: string[]) => names.filter((name) => attributes[name] === undefined);
const present = ({ attributes }: Mpd, ...names: string[]) => names.filter((name) => attributes[name] !== undefined);
const list = (names: string[]) => (names.length === 0 ? null : names.join(", "));

export const DOCUMENT_RULES: Rule[] = [
  must("schema", "ISO 5.2", "The MPD is valid under its schema", schema),
  must("content-type", "ISO C.1", "The MPD is sent as application/dash+xml", headers),
  must("date", "RFC 9110 6.6.1", "Responses have a Date, which clients and caches use as their clock", date),
  must(
    "dynamic-attributes",
    "ISO 5.3.1.2",
    "A dynamic MPD has availabilityStartTime and publishTime",
    eachOf(
      ({ mpd }) => (mpd.isDynamic ? [mpd] : []),
      "both attributes",
      (mpd) => list(missing(mpd, "availabilityStartTime", "publishTime").map((name) => `no ${name}`)),
    ),
  ),
  must(
    "static-attributes",
    "ISO 5.3.1.2, IOP 3.2",
    "A static MPD has a duration, and no attributes of a dynamic one",
    eachOf(
      ({ mpd }) => (mpd.isDynamic ? [] : [mpd]),
      "mediaPresentationDuration or the last Period's duration; neither minimumUpdatePeriod nor timeShiftBufferDepth",
      (mpd) =>
        (mpd.durationS ?? mpd.periods.at(-1)?.durationS) == null
          ? "no duration"
          : list(present(mpd, "minimumUpdatePeriod", "timeShiftBufferDepth")),
    ),
  ),
  must(
    "clock",
    "IOP 4.7.2",
    "A dynamic MPD has a UTCTiming element",
    eachOf(
      ({ mpd }) => (mpd.isDynamic ? [mpd] : []),
      "UTCTiming",
      ({ clocks }) => (clocks.length > 0 ? null : "none"),
    ),
  ),
];
