import { readFileSync } from "node:fs";
import { readLimits } from "../support/limits/page.ts";
import type { TRIED_IN } from "../support/limits/ids.ts";
import { type Trial, tryLimits } from "../support/limits/trials.ts";
import { CONNECTION_TRIALS } from "./limits/connection-trials.ts";
import { INGEST_TRIALS } from "./limits/ingest-trials.ts";
import { RTMP_TRIALS } from "./limits/rtmp-trials.ts";

const TRIALS: Record<(typeof TRIED_IN.gateway)[number], Trial> = {
  ...RTMP_TRIALS,
  ...CONNECTION_TRIALS,
  ...INGEST_TRIALS,
};
tryLimits(readLimits(readFileSync("docs/architecture/limits.md", "utf8")), TRIALS);
