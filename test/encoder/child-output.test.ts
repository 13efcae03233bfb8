import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { startMediaProcess } from "../../encoder/platform/media-process.ts";
import type { LogLine } from "../support/encoder.ts";

const TALKING_CHILD = fileURLToPath(new URL("talking-child.ts", import.meta.url));

test("what a media process writes to its console is logged, up to a bound, and never gets among its media", async () => {
  const lines: LogLine[] = [];
  const spy = vi
    .spyOn(console, "log")
    .mockImplementation((line: string) => void lines.push(JSON.parse(line) as LogLine));
  const child = startMediaProcess(TALKING_CHILD, { stdio: ["ignore", "pipe", "pipe", "ipc"], heapMiB: 64 });
  let media = "";
  child.stdout!.on("data", (chunk: Buffer) => (media += chunk.toString()));
  const [code] = await once(child, "close");
  spy.mockRestore();
  expect([code, media]).toEqual([0, "media"]);
  const output = lines.filter(({ event }) => event === "child.output");
  expect(output[0]).toMatchObject({ pid: child.pid, script: "encoder/talking-child.ts" });
  const text = output.map((line) => String(line["text"])).join("\n");
  expect(text).toMatch(/^to the console\nan error \{ code: 1 \}\nx/);
  expect(text.replaceAll("\n", "")).toHaveLength(20_000 - (text.match(/\n/g)!.length - output.length + 1));
});
