import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type CodeBlock, theBlock } from "./guide-blocks.ts";

/** Serves a `fetch` handler with Node, as `@hono/node-server` does. */
const HONO_SERVER = `import { createServer } from "node:http";
import app from "./hono.ts";
createServer(async (incoming, outgoing) => {
  const pieces = [];
  for await (const piece of incoming) pieces.push(piece);
  const init = { method: incoming.method, headers: incoming.headers, body: Buffer.concat(pieces) };
  const response = await app.fetch(new Request("http://here" + incoming.url, init));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(Buffer.from(await response.arrayBuffer()));
}).listen(Number(process.env.PORT));
`;

/** Writes the guide's receivers as files, and returns the command that starts each. */
export async function writeReceivers(blocks: CodeBlock[], folder: string): Promise<Record<string, string[]>> {
  const express = join(folder, "node_modules/express");
  const standIn = resolve("test/support/express-stand-in.ts");
  await mkdir(express, { recursive: true });
  await symlink(resolve("node_modules/hono"), join(folder, "node_modules/hono"));
  const files: Record<string, string> = {
    "package.json": JSON.stringify({ type: "module" }),
    "hono.ts": theBlock(blocks, "ts", "Hono"),
    "serve-hono.js": HONO_SERVER,
    "express.ts": theBlock(blocks, "ts", "Express"),
    "window.ts": theBlock(blocks, "ts", "A time window"),
    "receiver.py": theBlock(blocks, "python", "Python"),
    "node_modules/express/package.json": JSON.stringify({
      name: "express",
      type: "module",
      exports: { types: "./index.d.ts", default: "./index.js" },
    }),
    "node_modules/express/index.js": `export { default } from ${JSON.stringify(pathToFileURL(standIn).href)};\n`,
    "node_modules/express/index.d.ts": `export { default } from ${JSON.stringify(standIn)};\n`,
    "tsconfig.json": JSON.stringify({
      extends: resolve("tsconfig.base.json"),
      compilerOptions: { lib: ["ES2024", "DOM"], types: ["node"], typeRoots: [resolve("node_modules/@types")] },
      include: ["*.ts"],
    }),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return {
    Hono: [process.execPath, "serve-hono.js"],
    Express: [process.execPath, "express.ts"],
    ...(hasPython() ? { Python: ["python3", "receiver.py"] } : {}),
  };
}

export const hasPython = () => spawnSync("python3", ["--version"]).status === 0;

export interface RunningReceiver {
  /** Its output so far. */
  output: () => string;
  stop(): Promise<void>;
}

/** Starts a receiver and waits until it answers the check of a new webhook. */
export async function startGuideReceiver(
  command: string[],
  { folder, port, secrets }: { folder: string; port: number; secrets: string[] },
): Promise<RunningReceiver> {
  const [program = "", ...args] = command;
  const env = { ...process.env, PORT: String(port), WEBHOOK_SECRETS: secrets.join(",") };
  const child: ChildProcess = spawn(program, args, { cwd: folder, env });
  let [output, errors] = ["", ""];
  child.stdout?.on("data", (chunk) => (output += String(chunk)));
  child.stderr?.on("data", (chunk) => (errors += String(chunk)));
  const exit = new Promise((done) => child.once("close", done));
  const headers = { "content-type": "application/json" };
  for (let tries = 0; ; tries += 1) {
    const status = await fetch(`http://127.0.0.1:${port}/hooks/video`, { method: "POST", headers, body: "{}" }).then(
      (response) => response.status,
      () => null,
    );
    if (status === 200) break;
    if (status !== null || child.exitCode !== null || tries > 200)
      throw new Error(`the receiver answered the check with ${status}: ${errors}`);
    await new Promise((done) => setTimeout(done, 50));
  }
  return {
    output: () => output,
    async stop() {
      child.kill("SIGKILL");
      await exit;
    },
  };
}
