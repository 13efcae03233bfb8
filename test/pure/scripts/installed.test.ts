import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/** A version of Node before 22.18, to the script. */
const NO_TYPESCRIPT = "data:text/javascript,Object.defineProperty(process.features,'typescript',{value:false})";
const SCRIPT = "scripts/installed.mjs";

test("without dependencies or Node 24, every npm script ends with one line that says what to run", async () => {
  for (const args of [[resolve(SCRIPT)], ["--import", resolve(SCRIPT), resolve("scripts/start.ts")]]) {
    const failed = promisify(execFile)(process.execPath, args, { cwd: tmpdir() });
    await expect(failed).rejects.toMatchObject({
      code: 1,
      stdout: "",
      stderr: "The dependencies are not installed. Run `npm ci` first.\n",
    });
  }
  const old = promisify(execFile)(process.execPath, ["--import", NO_TYPESCRIPT, resolve(SCRIPT)]);
  await expect(old).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^.*Wait if `npm ci` is still running, otherwise run `npm rebuild node`\.\n$/,
    ) as unknown,
  });
  await promisify(execFile)(process.execPath, [resolve(SCRIPT)]); // here they are installed
  const { scripts } = JSON.parse(await readFile("package.json", "utf8")) as { scripts: Record<string, string> };
  for (const [name, command] of Object.entries(scripts).filter(([one]) => !one.startsWith("pre"))) {
    if (command.startsWith("node ")) expect(command).toMatch(new RegExp(`^node --import \\./${SCRIPT} [^-]`));
    else expect([name, scripts[`pre${name}`]]).toEqual([name, `node ${SCRIPT}`]);
  }
});
