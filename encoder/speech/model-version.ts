import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

/** Of the sum. */
const DIGITS = 12;

/**
 * Says which engine heard by which file: the version of the engine, and the first digits of the file's SHA-256, such as `0.0.4+422f1ae452ad`. A job is a process of its
 * own, so each job reads the file; the model is loaded from it anyway, and hears for minutes.
 */
export async function modelVersion(engineVersion: string, path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return `${engineVersion}+${hash.digest("hex").slice(0, DIGITS)}`;
}
