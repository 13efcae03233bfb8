import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ConnectionError } from "../../../index.ts";
import { CommandError } from "../../terminal/usage-error.ts";

/**
 * Writes a stream of the platform to a file, which has its name only when it is whole, or to the standard output.
 *
 * @throws {CommandError} for a file that cannot be written, or a connection that breaks
 */
export async function saveStream(content: ReadableStream<Uint8Array>, path: string | undefined): Promise<void> {
  const readable = Readable.fromWeb(content as never);
  try {
    if (path === undefined) return await pipeline(readable, process.stdout, { end: false });
    const part = `${path}.${process.pid}`;
    try {
      await pipeline(readable, createWriteStream(part));
      await rename(part, path);
    } finally {
      await rm(part, { force: true });
    }
  } catch (error) {
    throw explained(error, path);
  }
}

function explained(error: unknown, path: string | undefined): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof ConnectionError || path === undefined) return error;
  if (code !== undefined && code.startsWith("E") && !code.startsWith("ERR_"))
    return new CommandError(`${path} cannot be written: ${code}.`);
  return new CommandError(`The file was not received whole, so it was not written: ${message}.`);
}
