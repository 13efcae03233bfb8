/** `npm run check:ll-hls -- URL`: checks a live stream against the rules of low-latency HLS. */
import { runCommand } from "../command.ts";
import { check } from "./check.ts";
import { toJson, toText } from "./report.ts";

const HELP = `npm run check:ll-hls -- URL [--seconds 60] [--json] [--strict]

Follows a live stream of low-latency HLS as a strict player does, and says of each rule of draft-pantos-hls-rfc8216bis
whether the server kept it: ok, FAIL (a MUST is broken), warn (a SHOULD is broken), or not seen.

  URL        a multivariant playlist, or one media playlist
  --seconds  how long to follow it (60); a window longer than that shows nothing that leaves it
  --json     the verdicts with all evidence
  --strict   a broken SHOULD fails too

Exit code: 0 when nothing fails, 1 when something does, 2 when there is no stream to check.`;

await runCommand({
  help: HELP,
  subject: "a playlist",
  defaultSeconds: 60,
  begins: (url, seconds) => `Following ${url} for ${seconds} s …`,
  check: (url, seconds) => check(url, { seconds }),
  toText,
  toJson,
});
