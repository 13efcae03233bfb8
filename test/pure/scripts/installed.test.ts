import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const SCRIPT = "scripts/installed.mjs";

test("without dependencies, every npm script ends with one line that says what to run", async () => {
  const failed = promisify(execFile)(process.execPath, [resolve(SCRIPT)], { cwd: tmpdir() });
  await expect(failed).rejects.toMatchObject({
    code: 1,
    stdout: "",
    stderr: "The dependencies are not installed. Run `npm ci` first.\n",
  });
  await promisify(execFile)(process.execPath, [resolve(SCRIPT)]); // here they are installed
  const { scripts } = JSON.parse(await readFile("package.json", "utf8")) as { scripts: Record<string, string> };
  for (const name of Object.keys(scripts).filter((one) => !one.startsWith("pre")))
    expect([name, scripts[`pre${name}`]]).toEqual([name, `node ${SCRIPT}`]);
});
