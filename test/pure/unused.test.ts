/** `npm run check` fails on what nothing uses (knip). */
import { execFile } from "node:child_process";
import { appendFile, cp, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const IN_THE_COPY = /^(?:knip\.jsonc|package\.json|tsconfig.*\.json|.*\.config\.ts|wrangler\.toml)$/;
const FOLDERS = [
  "src",
  "durable-objects",
  "protocol",
  "encoder",
  "player",
  "sdk",
  "scripts",
  "bench",
  "conformance",
  "test",
];

test("an unused export and an unused file are named", async () => {
  const root = await mkdtemp(join(tmpdir(), "sluice-unused-"));
  try {
    const isCopied = (path: string) => !/\/(?:\.media|node_modules|fixtures)(?:\/|$)/.test(path);
    for (const folder of FOLDERS) await cp(folder, join(root, folder), { recursive: true, filter: isCopied });
    for (const file of (await readdir(".")).filter((name) => IN_THE_COPY.test(name))) await cp(file, join(root, file));
    await symlink(resolve("node_modules"), join(root, "node_modules"));
    await appendFile(join(root, "src/platform/timestamp.ts"), "export const plantedExport = 1;\n");
    await writeFile(join(root, "encoder/planted-file.ts"), "export {};\n");
    const failed = promisify(execFile)(process.execPath, [resolve("scripts/check.ts"), "unused"], { cwd: root });
    const { code, stdout } = await failed.then(
      () => ({ code: 0, stdout: "" }),
      (error: { code: number; stdout: string }) => error,
    );
    expect(code).toBe(1);
    expect(stdout).toContain("✗ unused");
    expect(stdout).toContain("encoder/planted-file.ts");
    expect(stdout).toMatch(/plantedExport .*src\/platform\/timestamp\.ts/);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
