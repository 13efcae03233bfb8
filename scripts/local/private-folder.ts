import { chmod, mkdir } from "node:fs/promises";

/** Makes a folder that other users of the machine cannot look into; one that exists becomes so. */
export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
}
