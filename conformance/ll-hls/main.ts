/** `npm run check:ll-hls -- URL`: whether a live stream keeps the rules of low-latency HLS. */
import { parseArgs } from "node:util";
import { hasFailed } from "../report.ts";
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

function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seconds: { type: "string", default: "60" },
      json: { type: "boolean", default: false },
      strict: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const [url, ...rest] = positionals;
  const seconds = Number(values.seconds);
  if (values.help) return { ...values, url: "", seconds };
  if (url === undefined || rest.length > 0 || !/^https?:/.test(url))
    throw new Error("Give one http(s) URL of a playlist.");
  if (!(seconds > 0)) throw new Error(`--seconds is "${values.seconds}"; it has to be a number above 0.`);
  return { ...values, url, seconds };
}

try {
  const { url, seconds, json, strict, help } = readOptions();
  if (help) console.log(HELP);
  else {
    if (!json) console.error(`Following ${url} for ${seconds} s …\n`);
    const checked = await check(url, { seconds });
    console.log(json ? toJson(checked) : toText(checked));
    process.exitCode = hasFailed(checked.verdicts, strict) ? 1 : 0;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
