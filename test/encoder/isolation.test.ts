/** Tests what a process that reads hostile media can access: the service's secrets, other users' files, codecs. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startMediaProcess } from "../../encoder/platform/media-process.ts";
import { TestEncoder } from "../support/encoder.ts";
import { childrenOf, commandOf } from "../support/processes.ts";
import { makeSource } from "../support/sources.ts";

const PRYING_CHILD = fileURLToPath(new URL("prying-child.ts", import.meta.url));
const SECRET = "secret of the encoder tests";
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

let encoder: TestEncoder | undefined;
let compiled: string;
const { NODE_COMPILE_CACHE: commonCache } = process.env;
beforeEach(async () => {
  compiled = await mkdtemp(join(tmpdir(), "compiled-"));
  await chmod(compiled, 0o755); // as in the image: readable for all, writable for the service's user
  process.env["NODE_COMPILE_CACHE"] = compiled;
});
afterEach(async () => {
  await encoder?.stop();
  encoder = undefined;
  delete process.env["MEDIA_UID"];
  delete process.env["NODE_COMPILE_CACHE"];
  if (commonCache !== undefined) process.env["NODE_COMPILE_CACHE"] = commonCache;
  await rm(compiled, { recursive: true });
});

/** The parts of /proc of a process that other processes of the same user can read. */
const shownOf = async (pid: number) =>
  (await Promise.all(["environ", "cmdline"].map((file) => readFile(`/proc/${pid}/${file}`, "utf8")))).join("\0");

async function pry(): Promise<Record<string, unknown>> {
  const child = startMediaProcess(PRYING_CHILD, { stdio: ["ignore", "ignore", "inherit", "ipc"], heapMiB: 64 });
  const [[found]] = await Promise.all([once(child, "message"), once(child, "exit")]); // it writes its compile cache when it exits
  return found as Record<string, unknown>;
}

test("neither the service nor a child exposes the secret or a job's token in /proc", async () => {
  encoder = await TestEncoder.start();
  const { job, desk } = encoder.prepare(await makeSource("mp4-fast-start"), { kind: "probe" });
  let held = (): void => {};
  const shown: string[] = [];
  desk.intercept = (_, target) => {
    if (target === "source") held();
    return undefined;
  };
  const running = new Promise<void>((resolve) => (held = resolve));
  expect((await encoder.request("POST", "/jobs", job)).status).toBe(202);
  await running;
  const pids = [encoder.process.pid!, ...childrenOf(encoder.process.pid!)];
  for (const pid of pids) shown.push(await shownOf(pid).catch(() => "")); // the job's may have ended
  expect(shown.filter((text) => text !== "").length).toBeGreaterThan(1);
  for (const text of shown) {
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(job.token);
  }
  expect("result" in (await desk.ending)).toBe(true);
});

test("the file that passes the secret is deleted when the service listens", async () => {
  const folder = await mkdtemp(join(tmpdir(), "isolation-"));
  encoder = await TestEncoder.start({ TMPDIR: folder });
  expect((await encoder.health()).status).toBe("ok");
  expect(execFileSync("find", [folder, "-mindepth", "1"]).toString()).toBe("");
  await rm(folder, { recursive: true });
});

test("a media process has only PATH and the compile cache's folder in its environment, and cannot gain privileges", async () => {
  process.env["SOME_SECRET"] = "of the parent";
  const found = await pry();
  delete process.env["SOME_SECRET"];
  expect(found).toMatchObject({ environment: ["PATH", "NODE_COMPILE_CACHE"], noNewPrivileges: "1" });
});

test("a media process leaves its compiled modules for the next one, although it is killed", async () => {
  const script = fileURLToPath(new URL("../../encoder/live/child.ts", import.meta.url));
  const child = startMediaProcess(script, { stdio: ["ignore", "ignore", "pipe", "ipc"], heapMiB: 128 });
  const exited = once(child, "exit");
  try {
    const entries = () => readdir(compiled, { recursive: true, withFileTypes: true });
    await expect.poll(async () => (await entries()).filter((one) => one.isFile()).length).toBeGreaterThan(20);
  } finally {
    child.kill("SIGKILL");
    await exited;
  }
});

describe.runIf(isRoot)("with MEDIA_UID", () => {
  test("a media process runs as another user without capabilities, and can read neither its parent nor other users' files", async () => {
    process.env["MEDIA_UID"] = String(NOBODY);
    expect(await pry()).toEqual({
      environment: ["PATH", "NODE_COMPILE_CACHE"],
      uid: NOBODY,
      gid: NOBODY,
      groups: [NOBODY],
      capabilities: "0000000000000000",
      noNewPrivileges: "1",
      parentEnvironment: "EACCES",
      parentMemory: "EACCES",
      ownCode: "EACCES",
      compiledCode: "EACCES",
      becomingRoot: "EPERM",
      passwords: "failed",
    });
  });

  test("children of that user run jobs and can be stopped", async () => {
    encoder = await TestEncoder.start({ MEDIA_UID: String(NOBODY) });
    expect((await encoder.probe(await makeSource("mp4-fast-start"))).video).not.toBeNull();
    const children = childrenOf(encoder.process.pid!);
    expect(children.length).toBeGreaterThan(0);
    for (const pid of children)
      expect(await readFile(`/proc/${pid}/status`, "utf8")).toMatch(new RegExp(`^Uid:(\\s+${NOBODY}){4}$`, "m"));
    await encoder.stop();
    const left = () => children.map(commandOf).filter((command) => command !== "");
    await expect.poll(left).toEqual([]);
  });
});

test("a codec outside the allow-list is not decoded in any container", async () => {
  const folder = await mkdtemp(join(tmpdir(), "isolation-"));
  const path = join(folder, "source.avi");
  execFileSync("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "testsrc2=d=1:s=64x64", "-c:v", "zmbv", path]);
  encoder = await TestEncoder.start();
  expect(await encoder.failure(path)).toMatchObject({ code: "source_no_streams" });
  await rm(folder, { recursive: true });
});
