/** Debian's ffmpeg as a broadcaster, and packet hashes of a broadcast. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const LIBAV_BROADCASTER = fileURLToPath(new URL("libav-broadcaster.ts", import.meta.url));

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** @param input written completely to its stdin, which `ffmpeg` reads as "pipe:0" */
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
  child.stdin.on("error", () => {}); // it exited before reading everything
  child.stdin.end(input);
  const ran = once(child, "close").then(([code]) => ({
    code: code as number | null,
    stdout: out!.join(""),
    stderr: err!.join(""),
  }));
  return { process: child, ran };
}

/** Pushes a broadcast without re-encoding, as fast as it is read; `-re`: in real time. */
export const push = (source: Buffer, format: string, url: string, ...input: string[]) =>
  ffmpeg([...input, "-i", "pipe:0", "-c", "copy", "-f", format, url], source);

/** A hash per stream over its packets, independent of the container. */
export async function packetHashes(media: Buffer): Promise<string[]> {
  const { ran } = ffmpeg(["-i", "pipe:0", "-c", "copy", "-f", "streamhash", "-hash", "md5", "-"], media);
  return (await ran).stdout.trim().split("\n");
}
