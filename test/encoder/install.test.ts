/** Runs the steps of the encoder's Dockerfile in an empty folder, because an image cannot be built everywhere. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
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
      const [line] = (await once(createInterface({ input: server.stdout }), "line")) as [string];
      const { port } = JSON.parse(line) as { port: number };
      const health = await fetch(`http://127.0.0.1:${port}/health`, { headers: { Authorization: `Bearer ${SECRET}` } });
      expect(await health.json()).toMatchObject({ status: "ok", running: 0 });
      server.kill("SIGTERM");
      expect(await once(server, "exit")).toEqual([0, null]);
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  },
);

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
