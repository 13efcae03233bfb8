import { countVerdicts, verdictLines } from "../report.ts";
import type { Checked } from "./check.ts";

export const toText = ({ evidence: { url, manifests, media }, verdicts }: Checked): string =>
  [
    ...verdictLines(verdicts),
    "",
    `${url}: ${manifests.length} MPDs, ${media.size} segments; ${countVerdicts(verdicts)}`,
  ].join("\n");

export const toJson = ({ evidence: { url }, verdicts }: Checked): string =>
  JSON.stringify({ url, rules: verdicts }, null, 2);
