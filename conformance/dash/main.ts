/** `npm run check:dash -- URL`: checks an MPD and its segments against the rules of MPEG-DASH. */
import { runCommand } from "../command.ts";
import { check } from "./check.ts";
import { toJson, toText } from "./report.ts";
import { OWN_SCHEMA } from "./schema.ts";

const HELP = `npm run check:dash -- URL [--seconds 30] [--schema FILE] [--json] [--strict]

Loads an MPD, live or on demand, reloads it at its URL while it is dynamic, loads the listed segments, and reports for
each rule of ISO/IEC 23009-1 and of the DASH-IF interoperability points (IOP) whether the server conforms: ok, FAIL (a
MUST is violated), warn (a SHOULD is violated), or not seen.

  URL        an MPD whose segments are listed by SegmentTimeline
  --seconds  how long to follow a dynamic MPD (30)
  --schema   XML schema for the MPD, such as the published DASH-MPD.xsd; default: that of the MPDs that Sluice writes
  --json     prints all verdicts with all evidence
  --strict   a violated SHOULD also fails

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
