import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { gatewayCredential } from "../../../protocol/gateway-credential.ts";
import { codeBlocks } from "../../support/guide-blocks.ts";

const SECRET = "the encoder secret of the guide's test";

test("the guide's command prints the credential of a gateway, derived from secrets.json", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-gateway-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const name of ["package.json", "scripts", "node_modules"]) await symlink(resolve(name), join(folder, name));
  await writeFile(join(folder, "secrets.json"), JSON.stringify({ ENCODER_SECRET: SECRET }));
  const blocks = codeBlocks("docs/guides/deploying.md").filter(({ code }) => code.includes("gateway:credential"));
  expect(blocks).toHaveLength(1);
  const shell = ["--norc", "-euo", "pipefail", "-c", blocks[0]!.code];
  const { stdout } = await promisify(execFile)("bash", shell, { cwd: folder });
  expect(stdout.trim()).toBe(gatewayCredential(SECRET, "live-1", ["live-1.example.com"]));
});
