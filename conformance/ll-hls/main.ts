/** `npm run check:ll-hls -- URL`: checks a live stream against the rules of low-latency HLS. */
import { runCommand } from "../command.ts";
import { check } from "./check.ts";
import { toJson, toText } from "./report.ts";

const HELP = `npm run check:ll-hls -- URL [--seconds 60] [--json] [--strict]

Follows a low-latency HLS stream as a strict player does, and reports for each rule of draft-pantos-hls-rfc8216bis
whether the server conforms: ok, FAIL (a MUST is violated), warn (a SHOULD is violated), or not seen.

  URL        a multivariant playlist, or one media playlist
  --seconds  how long to follow it (60); removed segments are judged only when the window is shorter
  --json     prints all verdicts with all evidence
  --strict   a violated SHOULD also fails

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
