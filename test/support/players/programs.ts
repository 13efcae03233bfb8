/** Native players, without a window and without sound. */
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Program {
  /** Resolves with the exit code; null when the program was killed. */
  ended: Promise<number | null>;
  /** The exit code; undefined while the program runs. */
  code(): number | null | undefined;
  /** Its standard error. */
  words(): string;
  kill(): Promise<void>;
}

/** Decodes everything and discards the output. */
export const ffmpeg = (url: string): Program =>
  start(process.env.FFMPEG ?? "ffmpeg", "-nostdin", "-v", "error", "-i", url, "-map", "0", "-f", "null", "-");

export const mpv = (url: string, ...options: string[]): Program =>
  start(process.env.MPV ?? "mpv", "--no-config", "--vo=null", "--ao=null", "--no-terminal", ...options, url);

/** Exits at the end of playback. VLC refuses to run as root, so it then runs as nobody. */
export function vlc(url: string): Program {
  const home = mkdtempSync(join(tmpdir(), "sluice-vlc-"));
  chmodSync(home, 0o777);
  const play = [process.env.VLC ?? "cvlc", "--play-and-exit", "--vout=dummy", "--aout=dummy", "--no-video-title", url];
  const asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
  const [command, ...args] = [...(process.getuid?.() === 0 ? asNobody : []), "env", `HOME=${home}`, ...play];
  return start(command!, ...args);
}

function start(command: string, ...args: string[]): Program {
  const child: ChildProcess = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"] });
  let words = "";
  child.stderr?.on("data", (chunk: Buffer) => (words = (words + chunk.toString()).slice(-10_000)));
  const ended = new Promise<number | null>((done, failed) => {
    child.once("exit", (code) => done(code));
    child.once("error", failed);
  });
  return {
    ended,
    code: () => (child.exitCode === null && child.signalCode === null ? undefined : child.exitCode),
    words: () => words,
    async kill() {
      child.kill("SIGKILL");
      await ended.catch(() => undefined);
    },
  };
}
