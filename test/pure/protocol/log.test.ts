import { expect, test, vi } from "vitest";
import { log, logError, logWarning } from "../../../protocol/log.ts";
import { log as workerLog } from "../../../src/platform/log.ts";

test("a line is one JSON object with time, level, event and fields", () => {
  const lines: string[] = [];
  const spy = vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
  log("job.started", { jobId: "j\n1", attempt: 2 });
  logWarning("job.ended");
  logError("request.failed", { error: "E" });
  spy.mockRestore();
  const at = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
  expect(lines.join("")).not.toContain("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { at, level: "info", event: "job.started", jobId: "j\n1", attempt: 2 },
    { at, level: "warn", event: "job.ended" },
    { at, level: "error", event: "request.failed", error: "E" },
  ]);
});

test("Worker and encoder write with the same function", () => expect(workerLog).toBe(log));
