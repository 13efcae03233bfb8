/** Debian's ffmpeg as a broadcaster, and what a broadcast consists of. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const LIBAV_BROADCASTER = fileURLToPath(new URL("libav-broadcaster.ts", import.meta.url));

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** @param input goes to its stdin, whole; `ffmpeg` reads it as "pipe:0" */
export const ffmpeg = (words: string[], input?: Buffer) =>
  start("ffmpeg", ["-hide_banner", "-v", "warning", ...words], input);

/** libav 8: see `libav-broadcaster.ts`. */
export const libavPush = (source: Buffer, format: string, url: string) =>
  start(process.execPath, [LIBAV_BROADCASTER, format, url], source);

function start(command: string, words: string[], input?: Buffer): { process: ChildProcess; ran: Promise<Ran> } {
  const child = spawn(command, words, { stdio: ["pipe", "pipe", "pipe"] });
  const [out, err]: string[][] = [[], []];
  child.stdout.on("data", (chunk: Buffer) => out!.push(chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => err!.push(chunk.toString()));
  child.stdin.on("error", () => {}); // it ended before it had read all
  child.stdin.end(input);
  const ran = once(child, "close").then(([code]) => ({
    code: code as number | null,
    stdout: out!.join(""),
    stderr: err!.join(""),
  }));
  return { process: child, ran };
}

/** Pushes a broadcast as it is, as fast as it is taken; `-re`: in real time. */
export const push = (source: Buffer, format: string, url: string, ...input: string[]) =>
  ffmpeg([...input, "-i", "pipe:0", "-c", "copy", "-f", format, url], source);

/** A hash for each stream over the bytes of its packets, whatever the container. */
export async function packetHashes(media: Buffer): Promise<string[]> {
  const { ran } = ffmpeg(["-i", "pipe:0", "-c", "copy", "-f", "streamhash", "-hash", "md5", "-"], media);
  return (await ran).stdout.trim().split("\n");
}
