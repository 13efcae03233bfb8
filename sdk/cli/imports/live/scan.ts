import { countText } from "../../terminal/units.ts";
import type { Batch, BatchReport } from "../records.ts";
import { reportLines } from "../report-text.ts";
import { type ImportSession, ofBatch } from "../session.ts";
import { followBatch, ridingOut } from "./follow-batch.ts";
import { problemText } from "./live-lines.ts";

/** Waits until the source's list is read, and shows how far that is. @returns the batch in its next state */
export async function untilScanned(session: ImportSession, importId: string): Promise<Batch> {
  let shown = "";
  for await (const batch of followBatch(session, importId)) {
    if (batch.status !== "scanning") return batch;
    const { scanned = 0, counts, problem, nextAttemptAt } = batch;
    const news = JSON.stringify({ scanned, counts, problem, nextAttemptAt });
    if (news === shown) continue;
    shown = news;
    session.reporter.say({ kind: "scan", scanned, total: counts.total, problem, nextAttemptAt }, (screen) => {
      const lines = [`${countText(scanned)} read, ${countText(counts.total)} chosen`, problemText(batch) ?? ""];
      if (screen.isTerminal)
        screen.block(lines.filter((line) => line !== "").map((line) => `  ${line}`.slice(0, screen.width - 1)));
      else if (problem !== undefined) screen.text(problemText(batch)!);
    });
  }
  throw new Error("a batch is followed without an end");
}

const TITLES = 5;

/** Shows what the batch will do. */
export async function showReport(session: ImportSession, importId: string): Promise<BatchReport> {
  const { sluice, reporter, signal } = session;
  const call = ridingOut(session);
  const options = { ...ofBatch(importId), signal };
  const { data: report } = await call(() => sluice.get("/v1/imports/{importId}/report", options));
  const first = { params: { ...options.params, query: { limit: TITLES, status: "pending" as const } }, signal };
  const { data: items } = await call(() => sluice.get("/v1/imports/{importId}/items", first));
  const blocked = new Set(report.obstacles.map(({ sourceId }) => sourceId));
  const titles = items.filter(({ sourceId }) => !blocked.has(sourceId)).map(({ title, sourceId }) => title ?? sourceId);
  reporter.say({ kind: "report", importId, titles, report }, (screen) => {
    screen.title("Dry run: nothing was changed at the source, and nothing was created");
    screen.lines([...reportLines(report, titles), ""]);
  });
  return report;
}
