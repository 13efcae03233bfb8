import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../test/support/platform.ts";

export interface Demo {
  output: string;
  origin: string;
  home: string;
  /** The hosted page of the demo's media or stream. */
  playerUrl: string;
}

const PORTS = ["PORT", "ENCODER_PORT", "RTMP_PORT", "SRT_PORT", "INGEST_PORT"];
const LAST_LINE = "Ctrl-C stops it.";
const LIMIT_MS = 180_000;

/** Runs the demo on a fresh home, hands over what it printed while it keeps running, and stops it. @throws {Error} when the demo fails */
export async function withDemo(args: string[], use: (demo: Demo) => Promise<void>): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), "sluice-readme-"));
  const ports: [string, string][] = [];
  for (const name of PORTS) ports.push([name, String(await freePort())]);
  const env = { ...process.env, ...Object.fromEntries(ports), SLUICE_HOME: home, NO_COLOR: "1" };
  const child = spawn(process.execPath, ["scripts/demo.ts", ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  const gone = new Promise<void>((done) => child.once("close", () => done()));
  try {
    let output = "";
    await new Promise<void>((up, failed) => {
      const fail = () => failed(new Error(`the demo failed:\n${output}`));
      const timer = setTimeout(fail, LIMIT_MS);
      void gone.then(fail);
      child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
      child.stdout.on("data", (chunk: Buffer) => {
        output += chunk.toString();
        if (!output.includes(LAST_LINE)) return;
        clearTimeout(timer);
        if (output.includes("✗")) fail();
        else up();
      });
    });
    const playerUrl = /^ *Player +(\S+)$/m.exec(output)?.[1] ?? "";
    await use({ output, home, playerUrl, origin: new URL(playerUrl).origin });
  } finally {
    child.kill("SIGTERM");
    await gone;
    await rm(home, { recursive: true, force: true });
  }
}
