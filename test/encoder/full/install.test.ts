/** Runs the steps of the encoder's Dockerfile, and those of the guide, in an empty folder, because an image cannot be built everywhere. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { codeBlocks, theBlock } from "../../support/guide-blocks.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const SECRET = "secret of the install test: long enough";

test(
  "the Dockerfile's own commands install and start an encoder in an empty folder",
  { timeout: 180_000 },
  async () => {
    const root = await mkdtemp(join(tmpdir(), "sluice-encoder-"));
    try {
      const steps = (await readFile(join(ROOT, "encoder/Dockerfile"), "utf8"))
        .split("\n")
        .map((line) => /^([A-Z]+) (.*)$/.exec(line))
        .filter((step) => step !== null);
      const env: NodeJS.ProcessEnv = { ...process.env, ENCODER_SECRET: SECRET }; // for npm's registry settings
      let start: string[] = [];
      let app = root; // the working directory
      for (const [, instruction, rest = ""] of steps) {
        if (instruction === "WORKDIR") await mkdir((app = join(root, rest)), { recursive: true });
        if (instruction === "COPY") await copy(rest.split(" "), app);
        if (instruction === "RUN") await run("sh", ["-c", rest], { cwd: app, env });
        if (instruction === "ENV")
          for (const [key, value] of rest.split(" ").map((pair) => pair.split("="))) env[key!] = value!;
        if (instruction === "CMD") start = JSON.parse(rest) as string[];
      }
      expect(steps.map(([, instruction]) => instruction)).toEqual(
        expect.arrayContaining(["FROM", "WORKDIR", "COPY", "RUN", "CMD"]),
      );

      // The only change: a port and an address that are free here.
      const server = spawn(start[0] === "node" ? process.execPath : start[0]!, start.slice(1), {
        cwd: app,
        env: { ...env, PORT: "0", HOST: "127.0.0.1" },
        stdio: ["ignore", "pipe", "inherit"],
      });
      expect(await healthOf(server.stdout)).toMatchObject({ status: "ok", running: 0 });
      server.kill("SIGTERM");
      expect(await once(server, "exit")).toEqual([0, null]);
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  },
);

test(
  "the commands of the deploying guide install and start an encoder of one's own beside the repository",
  { timeout: 180_000 },
  async () => {
    const root = await mkdtemp(join(tmpdir(), "sluice-own-encoder-"));
    onTestFinished(() => rm(root, { recursive: true, force: true }));
    const clone = join(root, "sluice");
    const filter = (path: string) => basename(path) !== "node_modules";
    for (const name of ["encoder", "protocol"])
      await cp(join(ROOT, name), join(clone, name), { recursive: true, filter });
    const guide = theBlock(codeBlocks("docs/guides/deploying.md"), "sh", "An encoder of your own");
    const commands = guide.replace("ENCODER_SECRET=…", `ENCODER_SECRET="${SECRET}"`).replace("PORT=8790", "PORT=0");
    const shell = spawn("bash", ["--norc", "-euo", "pipefail", "-c", commands], {
      cwd: clone,
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(shell, "exit");
    try {
      expect(await healthOf(shell.stdout)).toMatchObject({ status: "ok", running: 0 });
    } finally {
      process.kill(-shell.pid!, "SIGTERM");
      await ended;
    }
  },
);

/** What the encoder answers at the port that it prints. */
async function healthOf(stdout: Readable): Promise<unknown> {
  for await (const line of createInterface({ input: stdout })) {
    if (!line.startsWith("{")) continue; // of npm
    const { port } = JSON.parse(line) as { port: number };
    const health = await fetch(`http://127.0.0.1:${port}/health`, { headers: { Authorization: `Bearer ${SECRET}` } });
    return await health.json();
  }
  throw new Error("the encoder ended before it was up");
}

/** COPY a folder's content, or files, as Docker does: `a ./`, `folder ./` and `folder ../folder`. */
async function copy(words: string[], app: string): Promise<void> {
  const to = join(app, words.at(-1)!);
  await mkdir(to, { recursive: true });
  for (const from of words.slice(0, -1)) {
    const isFile = basename(from).includes(".") || basename(from) === "Dockerfile";
    await cp(join(ROOT, from), isFile ? join(to, basename(from)) : to, {
      recursive: true,
      filter: (path) => basename(path) !== "node_modules" || dirname(path) !== join(ROOT, from),
    });
  }
}
