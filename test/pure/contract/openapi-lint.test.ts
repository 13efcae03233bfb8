import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readDocument } from "../../../scripts/api-types/read-document.ts";

/** The contract has `/on-demand/playlists/{playlistId}` beside `/on-demand/{mediaId}/input-info`. Hono matches the literal path first. */
const OF_THE_CONTRACT = "no-ambiguous-paths";

test("the OpenAPI document passes Redocly's recommended rules without a warning", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-openapi-lint-"));
  try {
    const document = { ...(await readDocument(folder)), servers: [{ url: "https://video.sluice.test" }] };
    const file = join(folder, "openapi.json");
    writeFileSync(file, JSON.stringify(document));
    const options = ["--extends=recommended", `--skip-rule=${OF_THE_CONTRACT}`, "--format=json"];
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    const report = JSON.parse(runLint(["lint", ...options, file], env)) as { problems: { message: string }[] };
    expect(report.problems.map(({ message }) => message)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** The report is on the standard output also when the linter fails. */
function runLint(args: string[], env: NodeJS.ProcessEnv): string {
  try {
    return execFileSync("redocly", args, { env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
