/** The throughput of a batch is that of its last minutes. */
import { expect, test } from "vitest";
import { SourceFailure } from "../../../src/imports/sources/source.ts";
import { newWorkspace } from "../workspace.ts";
import { newBatch } from "./batch-bench.ts";
import { FakeSource, videos } from "./fake-source.ts";

const MINUTE_MS = 60_000;
/** Media of a batch that are in preparation at the same time. */
const AT_ONCE = 20;
const NO_FILE = { code: "no_file", message: "There is no file." } as const;

test("what failed in the scan is no throughput", async () => {
  const source = new FakeSource(videos(20, (n) => ({ obstacle: n % 2 === 0 ? NO_FILE : null })));
  const batch = await newBatch({ workspace: await newWorkspace(), source, dryRun: true });
  await batch.until();
  await batch.command({ name: "start", exclude: [] });
  await batch.until(({ counts }) => counts.submitted === 10);
  batch.nowMs += MINUTE_MS / 2;
  expect(await batch.view()).toMatchObject({ counts: { failed: 10 }, itemsPerMinute: 0, secondsLeft: null });
  await batch.readyAll();
  await batch.until(({ counts }) => counts.ready === 10);
  expect((await batch.view()).itemsPerMinute).toBeNull(); // it is done
});

test("the throughput counts what has ended, and is unknown while the source asks for a long pause", async () => {
  const source = new FakeSource(videos(40));
  const batch = await newBatch({ workspace: await newWorkspace(), source, env: { ENCODER_CONTAINERS: "5" } });
  await batch.until(({ counts }) => counts.submitted === AT_ONCE);
  const fullAtMs = batch.nowMs;
  source.before = (method) => {
    if (method === "resolve")
      throw new SourceFailure("source_rate_limited", "A pause.", { retryAfterMs: 60 * MINUTE_MS });
  };
  await batch.until(() => batch.nowMs >= fullAtMs + MINUTE_MS / 2);
  await batch.readyAll();
  const paused = await batch.until(({ counts, waitsUntilMs }) => counts.ready === AT_ONCE && waitsUntilMs !== null);
  expect(paused.itemsPerMinute).toBeGreaterThan(0);
  expect(paused.secondsLeft).toBeGreaterThan(0);
  batch.nowMs += 30 * MINUTE_MS;
  expect(await batch.view()).toMatchObject({ itemsPerMinute: null, secondsLeft: null, problem: expect.any(Object) });
});
