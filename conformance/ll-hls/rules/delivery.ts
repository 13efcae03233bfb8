import type { Exchange, RenditionEvidence, StreamEvidence } from "../evidence.ts";
import { readAnswers } from "../evidence.ts";
import { must, type Rule, should } from "../rule.ts";

const TYPES = ["application/vnd.apple.mpegurl", "audio/mpegurl"];
/** Shorter than that, compressing is not worth while. */
const SMALL_BYTES = 512;

/** How long a cache may keep an answer, in seconds; null when the answer does not say. */
function keptFor({ headers }: Exchange): number | null {
  const control = headers["cache-control"] ?? "";
  if (/no-store|no-cache|private/.test(control)) return 0;
  const [, seconds] = /s-maxage=(\d+)/.exec(control) ?? /max-age=(\d+)/.exec(control) ?? [];
  return seconds === undefined ? null : Number(seconds);
}

const playlistsOf = ({ entry, renditions }: StreamEvidence): Exchange[] => [entry, ...renditions.flatMap(readAnswers)];

const header =
  (wanted: string, isGood: (answer: Exchange) => boolean, found: (answer: Exchange) => string): Rule["judge"] =>
  (stream, tell) => {
    for (const answer of playlistsOf(stream)) {
      if (isGood(answer)) tell.seen();
      else tell.fault(answer.url, wanted, found(answer));
    }
  };

const targetOf = (rendition: RenditionEvidence) => readAnswers(rendition)[0]?.playlist.targetDurationS ?? 1;

const cors: Rule["judge"] = (stream, tell) => {
  const answers = [...playlistsOf(stream), ...stream.renditions.flatMap(({ media }) => media)];
  for (const { headers, url, status } of answers) {
    if (status !== 200 && status !== 206) continue;
    const allowed = headers["access-control-allow-origin"];
    if (allowed === "*" || allowed === "http://player.test") tell.seen();
    else tell.fault(url, "Access-Control-Allow-Origin for every page", allowed ?? "none");
  }
};

const heldAnswersAreKept: Rule["judge"] = ({ renditions }, tell) => {
  for (const answer of renditions.flatMap(readAnswers)) {
    if (answer.purpose !== "reload" || answer.asked === null || answer.playlist.hasEnded) continue;
    if ((keptFor(answer) ?? 0) > 0) tell.seen();
    else
      tell.fault(
        answer.url,
        "Cache-Control with a max-age above 0",
        answer.headers["cache-control"] ?? "no Cache-Control",
      );
  }
};

const plainAnswersAreShort: Rule["judge"] = ({ renditions }, tell) => {
  for (const rendition of renditions)
    for (const answer of readAnswers(rendition)) {
      if (answer.purpose !== "first" || answer.playlist.hasEnded) continue;
      const seconds = keptFor(answer);
      if (seconds !== null && seconds <= targetOf(rendition)) tell.seen();
      else
        tell.fault(
          answer.url,
          `Cache-Control of at most ${targetOf(rendition)} s`,
          answer.headers["cache-control"] ?? "no Cache-Control",
        );
    }
};

/** Errors of playlists may be kept for a target duration, those of blocking requests for four. */
const errorsAreShort: Rule["judge"] = ({ renditions }, tell) => {
  for (const rendition of renditions) {
    for (const answer of [...rendition.playlists, ...rendition.media]) {
      if (answer.status < 400) continue;
      const limit = targetOf(rendition) * ("asked" in answer && answer.asked !== null ? 4 : 1);
      const seconds = keptFor(answer);
      if (seconds !== null && seconds <= limit) tell.seen();
      else
        tell.fault(
          answer.url,
          `${answer.status}: kept for at most ${limit} s, and it says so`,
          answer.headers["cache-control"] ?? "no Cache-Control",
        );
    }
  }
};

const mediaIsKept: Rule["judge"] = ({ renditions }, tell) => {
  for (const rendition of renditions)
    for (const answer of rendition.media) {
      if (answer.status !== 200 && answer.status !== 206) continue;
      if ((keptFor(answer) ?? 0) >= targetOf(rendition)) tell.seen();
      else
        tell.fault(
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
  should("gzip", "6.2.1, B.1", "Playlists are compressed for who can read that", (stream, tell) => {
    for (const answer of stream.renditions.flatMap(readAnswers)) {
      if (answer.text.length < SMALL_BYTES) continue;
      const coding = answer.headers["content-encoding"];
      if (coding !== undefined) tell.seen();
      else tell.fault(answer.url, "Content-Encoding: gzip", `none, ${answer.text.length} bytes`);
    }
  }),
  should("cors", "Fetch", "Pages of every origin may read playlists and media", cors),
  should("blocking-cacheable", "B.1", "Answers to blocking requests may be kept by caches", heldAnswersAreKept),
  should(
    "plain-short",
    "B.1",
    "Answers without directives are kept for a target duration at most",
    plainAnswersAreShort,
  ),
  should("errors-short", "B.1", "Errors are kept for moments only, and say so", errorsAreShort),
  should("media-cacheable", "B.1", "Parts, segments and init segments may be kept by caches", mediaIsKept),
];
