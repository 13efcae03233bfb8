import { randomUUID } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Replaces a file atomically: concurrent readers never see a partial file. */
export async function writeWhole(path: string, contents: Uint8Array, mode = 0o644): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, contents, { mode });
  await rename(draft, path);
}
