import { countVerdicts, verdictLines } from "../report.ts";
import type { Checked } from "./check.ts";

export function toText({ stream, verdicts }: Checked): string {
  const parts = stream.renditions.reduce(
    (sum, { media }) => sum + media.filter((one) => one.purpose === "part").length,
    0,
  );
  return [
    ...verdictLines(verdicts),
    "",
    `${stream.url}: ${stream.renditions.length} renditions, ${parts} parts; ${countVerdicts(verdicts)}`,
  ].join("\n");
}

export const toJson = ({ stream, verdicts }: Checked): string =>
  JSON.stringify({ url: stream.url, renditions: stream.renditions.map(({ url }) => url), rules: verdicts }, null, 2);
