/**
 * Files that ffmpeg makes for tests, and facts that ffprobe finds, cached under `test/.media/` by command line and ffmpeg version: each is made once
 * for all tests, processes and runs. A file must depend only on its command line.
 */
import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const FFMPEG = process.env["FFMPEG"] ?? "ffmpeg";
const MAX_STREAM_BYTES = 256 << 20;
const CACHE = fileURLToPath(new URL("../.media/", import.meta.url));

let version: Promise<string> | undefined;
const ffmpegVersion = () => (version ??= run(FFMPEG, ["-version"]).then(({ stdout }) => stdout));
const making = new Map<string, Promise<string>>();

const EXTENSIONS = { stream: "bin", facts: "txt" };
type Output = { extension: string } | "stream" | "facts";

/** @param words arguments between `-v error` and the output's name; input files must be files of the repository, which do not change */
export const madeFile = (words: readonly string[], extension: string): Promise<string> => made(words, { extension });

/** ffmpeg's output to a pipe, where it cannot seek back to write a length or an index. */
export const madeStream = async (words: readonly string[]): Promise<Buffer> =>
  await readFile(await made(words, "stream"));

/** What ffprobe prints. @param words its arguments behind `-v error`, under the same condition */
export const madeFacts = async (words: readonly string[]): Promise<string> =>
  await readFile(await made(words, "facts"), "utf8");

function made(words: readonly string[], output: Output): Promise<string> {
  const key = JSON.stringify([words, output]);
  const known = making.get(key) ?? make(words, output, key);
  making.set(key, known);
  return known;
}

async function make(words: readonly string[], output: Output, key: string): Promise<string> {
  const hash = createHash("sha256")
    .update(await ffmpegVersion())
    .update(key)
    .digest("hex")
    .slice(0, 16);
  const extension = typeof output === "string" ? EXTENSIONS[output] : output.extension;
  const path = join(CACHE, `made-${hash}.${extension}`);
  if (await exists(path)) return path;
  await mkdir(CACHE, { recursive: true });
  const unfinished = join(CACHE, `${randomUUID()}.${extension}`); // several processes may make it at the same time
  const ffmpeg = ["-v", "error", "-nostdin", ...words];
  if (output === "facts") {
    const { stdout } = await run("ffprobe", ["-v", "error", ...words], { maxBuffer: MAX_STREAM_BYTES });
    await writeFile(unfinished, stdout);
  } else if (output === "stream") {
    const { stdout } = await run(FFMPEG, [...ffmpeg, "-"], { encoding: "buffer", maxBuffer: MAX_STREAM_BYTES });
    await writeFile(unfinished, stdout);
  } else await run(FFMPEG, [...ffmpeg, unfinished]);
  await rename(unfinished, path);
  return path;
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );
