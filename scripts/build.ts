import { mkdir } from "node:fs/promises";
export async function buildPlayer(): Promise<void> {
  await mkdir("dist/assets", { recursive: true });
}
