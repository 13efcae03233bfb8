import page from "../../docs/architecture/limits.md?raw";
import { readLimits } from "../support/limits/page.ts";
import type { TRIED_IN } from "../support/limits/ids.ts";
import { type Trial, tryLimits } from "../support/limits/trials.ts";
import { API_TRIALS } from "./limits/api-trials.ts";
import { IMPORT_TRIALS } from "./limits/import-trials.ts";
import { LICENSE_TRIALS } from "./limits/license-trials.ts";
import { MCP_TRIALS } from "./limits/mcp-trials.ts";
import { MEDIA_TRIALS } from "./limits/media-trials.ts";
import { PLATFORM_TRIALS } from "./limits/platform-trials.ts";
import { SEARCH_TRIALS } from "./limits/search-trials.ts";
import { TIME_TRIALS } from "./limits/time-trials.ts";

const TRIALS: Record<(typeof TRIED_IN.worker)[number], Trial> = {
  ...API_TRIALS,
  ...IMPORT_TRIALS,
  ...LICENSE_TRIALS,
  ...MCP_TRIALS,
  ...MEDIA_TRIALS,
  ...PLATFORM_TRIALS,
  ...SEARCH_TRIALS,
  ...TIME_TRIALS,
};
tryLimits(readLimits(page), TRIALS);
