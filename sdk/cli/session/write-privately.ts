import { chmod, rename, writeFile } from "node:fs/promises";

/** Writes a file that only its owner can read, whole or not at all. */
export async function writeTextPrivately(path: string, content: string): Promise<void> {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, content, { mode: 0o600 });
  await chmod(draft, 0o600); // also when the file existed
  await rename(draft, path);
}
