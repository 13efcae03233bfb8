/** `npm run check:dash -- URL`: checks an MPD and its segments against the rules of MPEG-DASH. */
import { runCommand } from "../command.ts";
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

await runCommand({
  help: HELP,
  subject: "an MPD",
  defaultSeconds: 30,
  options: { schema: OWN_SCHEMA },
  begins: (url) => `Reading ${url} …`,
  check: (url, seconds, { schema = OWN_SCHEMA }) => check(url, { seconds, schemaPath: schema }),
  toText,
  toJson,
});
