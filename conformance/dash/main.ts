/** `npm run check:dash -- URL`: whether an MPD and its segments keep the rules of MPEG-DASH. */
import { parseArgs } from "node:util";
import { hasFailed } from "../report.ts";
import { check } from "./check.ts";
import { toJson, toText } from "./report.ts";
import { OWN_SCHEMA } from "./schema.ts";

const HELP = `npm run check:dash -- URL [--seconds 30] [--schema FILE] [--json] [--strict]

Reads an MPD, live or on demand, follows it at its own address while it is dynamic, loads what it lists, and says of
each rule of ISO/IEC 23009-1 and of the DASH-IF's interoperability points (IOP) whether it was kept: ok, FAIL (a MUST
is broken), warn (a SHOULD is broken), or not seen.

  URL        an MPD whose segments are listed by SegmentTimeline
  --seconds  how long to follow a dynamic MPD (30)
  --schema   an XML schema to validate with, such as the published DASH-MPD.xsd; without it, what Sluice may write
  --json     the verdicts with all evidence
  --strict   a broken SHOULD fails too

Exit code: 0 when nothing fails, 1 when something does, 2 when there is no MPD to check.`;

function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seconds: { type: "string", default: "30" },
      schema: { type: "string", default: OWN_SCHEMA },
      json: { type: "boolean", default: false },
      strict: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const [url, ...rest] = positionals;
  const seconds = Number(values.seconds);
  if (values.help) return { ...values, url: "", seconds };
  if (url === undefined || rest.length > 0 || !/^https?:/.test(url)) throw new Error("Give one http(s) URL of an MPD.");
  if (!(seconds > 0)) throw new Error(`--seconds is "${values.seconds}"; it has to be a number above 0.`);
  return { ...values, url, seconds };
}

try {
  const { url, seconds, schema, json, strict, help } = readOptions();
  if (help) console.log(HELP);
  else {
    if (!json) console.error(`Reading ${url} …\n`);
    const checked = await check(url, { seconds, schemaPath: schema });
    console.log(json ? toJson(checked) : toText(checked));
    process.exitCode = hasFailed(checked.verdicts, strict) ? 1 : 0;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
