import type { Exchange, RenditionEvidence, StreamEvidence } from "../evidence.ts";
import { readAnswers } from "../evidence.ts";
import { must, type Rule, should } from "../rule.ts";

const TYPES = ["application/vnd.apple.mpegurl", "audio/mpegurl"];
/** Compression is not required below this size. */
const SMALL_BYTES = 512;

/** Freshness lifetime of a response in seconds; null when it is not stated. */
function keptFor({ headers }: Exchange): number | null {
  const control = headers["cache-control"] ?? "";
  if (/no-store|no-cache|private/.test(control)) return 0;
  const [, seconds] = /s-maxage=(\d+)/.exec(control) ?? /max-age=(\d+)/.exec(control) ?? [];
  return seconds === undefined ? null : Number(seconds);
}

const playlistsOf = ({ entry, renditions }: StreamEvidence): Exchange[] => [entry, ...renditions.flatMap(readAnswers)];

const header =
  (wanted: string, isGood: (answer: Exchange) => boolean, found: (answer: Exchange) => string): Rule["judge"] =>
  (stream, report) => {
    for (const answer of playlistsOf(stream)) {
      if (isGood(answer)) report.seen();
      else report.fault(answer.url, wanted, found(answer));
    }
  };

const targetOf = (rendition: RenditionEvidence) => readAnswers(rendition)[0]?.playlist.targetDurationS ?? 1;

const cors: Rule["judge"] = (stream, report) => {
  const answers = [...playlistsOf(stream), ...stream.renditions.flatMap(({ media }) => media)];
  for (const { headers, url, status } of answers) {
    if (status !== 200 && status !== 206) continue;
    const allowed = headers["access-control-allow-origin"];
    if (allowed === "*" || allowed === "http://player.test") report.seen();
    else report.fault(url, "Access-Control-Allow-Origin for every page", allowed ?? "none");
  }
};

const heldAnswersAreKept: Rule["judge"] = ({ renditions }, report) => {
  for (const answer of renditions.flatMap(readAnswers)) {
    if (answer.purpose !== "reload" || answer.asked === null || answer.playlist.hasEnded) continue;
    if ((keptFor(answer) ?? 0) > 0) report.seen();
    else
      report.fault(
        answer.url,
        "Cache-Control with a max-age above 0",
        answer.headers["cache-control"] ?? "no Cache-Control",
      );
  }
};

const plainAnswersAreShort: Rule["judge"] = ({ renditions }, report) => {
  for (const rendition of renditions)
    for (const answer of readAnswers(rendition)) {
      if (answer.purpose !== "first" || answer.playlist.hasEnded) continue;
      const seconds = keptFor(answer);
      if (seconds !== null && seconds <= targetOf(rendition)) report.seen();
      else
        report.fault(
          answer.url,
          `Cache-Control of at most ${targetOf(rendition)} s`,
          answer.headers["cache-control"] ?? "no Cache-Control",
        );
    }
};

/** Errors may be cached for one target duration, those of blocking requests for four. */
const errorsAreShort: Rule["judge"] = ({ renditions }, report) => {
  for (const rendition of renditions) {
    for (const answer of [...rendition.playlists, ...rendition.media]) {
      if (answer.status < 400) continue;
      const limit = targetOf(rendition) * ("asked" in answer && answer.asked !== null ? 4 : 1);
      const seconds = keptFor(answer);
      if (seconds !== null && seconds <= limit) report.seen();
      else
        report.fault(
          answer.url,
          `${answer.status}: kept for at most ${limit} s, and it says so`,
          answer.headers["cache-control"] ?? "no Cache-Control",
        );
    }
  }
};

const mediaIsKept: Rule["judge"] = ({ renditions }, report) => {
  for (const rendition of renditions)
    for (const answer of rendition.media) {
      if (answer.status !== 200 && answer.status !== 206) continue;
      if ((keptFor(answer) ?? 0) >= targetOf(rendition)) report.seen();
      else
        report.fault(
          answer.url,
          `Cache-Control of at least ${targetOf(rendition)} s`,
          answer.headers["cache-control"] ?? "no Cache-Control",
        );
    }
};

export const DELIVERY_RULES: Rule[] = [
  must(
    "content-type",
    "4",
    `Playlists are ${TYPES.join(" or ")}`,
    header(
      TYPES[0]!,
      ({ headers }) => TYPES.includes((headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase()),
      ({ headers }) => headers["content-type"] ?? "no Content-Type",
    ),
  ),
  should("gzip", "6.2.1, B.1", "Playlists are compressed for clients that accept gzip", (stream, report) => {
    for (const answer of stream.renditions.flatMap(readAnswers)) {
      if (answer.text.length < SMALL_BYTES) continue;
      const coding = answer.headers["content-encoding"];
      if (coding !== undefined) report.seen();
      else report.fault(answer.url, "Content-Encoding: gzip", `none, ${answer.text.length} bytes`);
    }
  }),
  should("cors", "Fetch", "Every origin may read playlists and media", cors),
  should("blocking-cacheable", "B.1", "Responses to blocking requests are cacheable", heldAnswersAreKept),
  should(
    "plain-short",
    "B.1",
    "Responses without directives are cacheable for at most a target duration",
    plainAnswersAreShort,
  ),
  should("errors-short", "B.1", "Errors are cacheable only briefly, and state it", errorsAreShort),
  should("media-cacheable", "B.1", "Parts, segments and init segments are cacheable", mediaIsKept),
];
