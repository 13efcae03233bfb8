import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { hasRoom } from "../../../scripts/suite/temporary-folder.ts";

const GIB = 1024 ** 3;
const MAKE = `
  const { existsSync, mkdirSync, rmSync, statSync } = await import("node:fs");
  const { makeTemporaryFolder } = await import("./scripts/suite/temporary-folder.ts");
  const own = "/dev/shm/sluice-tests-" + process.pid;
  if (process.env.WITH_LEFT_OVER !== undefined && existsSync("/dev/shm")) mkdirSync(own);
  const folder = await makeTemporaryFolder();
  if (folder === null) rmSync(own, { recursive: true, force: true });
  console.log(JSON.stringify({ folder, exists: folder !== null && existsSync(folder), mode: folder && statSync(folder).mode & 0o777 }));
`;

interface Found {
  folder: string | null;
  exists: boolean;
  mode: number | null;
}

/** What a process that makes the folder finds, after it has ended. */
async function make(env: Record<string, string> = {}): Promise<Found> {
  const { TMPDIR: _, ...others } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", MAKE], { env: { ...others, ...env } });
  return JSON.parse(stdout) as Found;
}

test.for([
  [16 * GIB, 16 * GIB, true],
  [4 * GIB, 8 * GIB, true],
  [64 * 1024 ** 2, 16 * GIB, false], // a container
  [16 * GIB, 7 * GIB, false],
] as const)("with %d bytes of space and %d of memory, files are in memory: %s", ([space, memory, expected]) => {
  expect(hasRoom(space, memory)).toBe(expected);
});

test("the folder goes with the process that made it", async () => {
  const { folder, exists, mode } = await make();
  expect(exists).toBe(folder !== null); // null on a machine without room
  expect(mode).toBe(folder === null ? null : 0o711); // other users reach what a test lets them reach in it
  expect(folder !== null && existsSync(folder)).toBe(false);
});

test("a folder that somebody chose is used", async () => {
  expect(await make({ TMPDIR: "/tmp" })).toEqual({ folder: null, exists: false, mode: null });
});

test("a folder of a run that was killed is removed by the next one", async () => {
  const { folder } = await make();
  if (folder !== null) await mkdir(folder); // its process has ended
  await make();
  expect(folder !== null && existsSync(folder)).toBe(false);
});

test("a folder that an earlier process with the same id left is replaced", async () => {
  const { folder, exists } = await make({ WITH_LEFT_OVER: "1" });
  expect(exists).toBe(folder !== null);
});
