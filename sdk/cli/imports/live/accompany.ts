import { INTERRUPTED } from "../../terminal/interrupt.ts";
import { hasTerminal } from "../../terminal/prompt.ts";
import type { Screen } from "../../terminal/screen.ts";
import { countText, plain } from "../../terminal/units.ts";
import { CommandError, Interrupted } from "../../terminal/usage-error.ts";
import { ENDS } from "../help.ts";
import { note } from "../marks.ts";
import { askYes } from "../questions.ts";
import type { Batch, BatchReport } from "../records.ts";
import { reasonLine } from "../report-text.ts";
import { type ImportSession, ofBatch } from "../session.ts";
import { followBatch, ridingOut } from "./follow-batch.ts";
import { countsText } from "./live-lines.ts";
import { LiveView } from "./live-view.ts";
import { retryOf } from "./retry-command.ts";
import { showReport, untilScanned } from "./scan.ts";

export interface AccompanyOptions {
  /** What follows a dry run. `ask` without a terminal is `never`. */
  start: "ask" | "always" | "never";
  /** Ends after the start. */
  isDetached?: boolean;
}

/** The source has nothing of what is asked for, so there is nothing to start. */
export class NothingFound extends CommandError {}

const nothingFound = ({ source }: Batch): string =>
  `No video was found: check the ${source["type"] === "s3" ? "prefix" : "source"} and the selection.`;

/**
 * Shows a batch from where it is to its end: the scan, the report of a dry run, the question whether to start, and the live view. Ctrl-C leaves
 * the batch as it is.
 *
 * @returns the exit status
 * @throws {CommandError} when the batch is paused; {NothingFound} {ApiError}
 */
export async function accompany(session: ImportSession, importId: string, options: AccompanyOptions): Promise<number> {
  try {
    return await throughItsStates(session, importId, options);
  } catch (error) {
    if (!session.signal.aborted && !(error instanceof Interrupted)) throw error;
    const what = session.signal.aborted ? "Detached; the batch goes on." : "Nothing was started; the batch waits.";
    session.reporter.say({ kind: "detached", importId }, (screen) =>
      screen.text(`${what} Attach again with: sluice import attach ${importId}`),
    );
    return INTERRUPTED;
  }
}

async function throughItsStates(session: ImportSession, importId: string, options: AccompanyOptions): Promise<number> {
  const batch = await untilScanned(session, importId);
  if (batch.status === "scanned") {
    const { found, import: scanned } = await showReport(session, importId);
    if (scanned.counts.total === 0) throw new NothingFound(nothingFound(batch));
    if (!(await shallStart(session, options.start, found.videos))) return waits(session, importId);
    await start(session, importId);
  }
  if (options.isDetached) return sayRunning(session, importId);
  return watchRun(session, importId);
}

async function shallStart(
  { reporter }: ImportSession,
  start: AccompanyOptions["start"],
  videos: number,
): Promise<boolean> {
  if (start !== "ask") return start === "always";
  if (!hasTerminal()) return false;
  if (videos > 0)
    return askYes(`Start the migration of ${countText(videos)} ${videos === 1 ? "video" : "videos"}`, "--yes", false);
  reporter.say({ kind: "nothing" }, (screen) => screen.text("No video is left to be fetched."));
  return false;
}

function waits({ reporter }: ImportSession, importId: string): number {
  reporter.say({ kind: "waits", importId }, (screen) => {
    screen.text("The batch waits, and nothing is created until it starts:");
    screen.links([
      ["Start", `sluice import start ${importId}`],
      ["Report", `sluice import report ${importId} --format html --output report.html`],
      ["Discard", `sluice import cancel ${importId}`],
    ]);
  });
  return ENDS.done;
}

async function start({ sluice, reporter, signal }: ImportSession, importId: string): Promise<void> {
  await sluice.post("/v1/imports/{importId}/start", { ...ofBatch(importId), signal });
  reporter.say({ kind: "started", importId }, (screen) => screen.step("Started", "", `batch ${importId}`));
}

function sayRunning({ reporter }: ImportSession, importId: string): number {
  reporter.say({ kind: "running", importId }, (screen) => screen.text(`See it with: sluice import attach ${importId}`));
  return ENDS.done;
}

/** The live view, until each item has its end. */
async function watchRun(session: ImportSession, importId: string): Promise<number> {
  const view = new LiveView(session, importId, ridingOut(session));
  for await (const batch of followBatch(session, importId)) {
    await view.show(batch);
    if (batch.status === "paused") throw paused(batch);
    if (isOver(batch)) return finish(session, batch);
  }
  throw new Error("a batch is followed without an end");
}

/** The media of a cancelled batch that were being made are finished. */
const isOver = ({ status, counts }: Batch): boolean =>
  status === "done" || (status === "cancelled" && counts.submitted === 0);

/** Problems that other credentials solve. */
const OF_CREDENTIALS: ReadonlySet<string> = new Set(["credentials_invalid", "permission_missing"]);

/** A paused batch goes on only when somebody resumes it, so nobody waits for it here. */
function paused({ id, problem, source }: Batch): CommandError {
  const why = problem === undefined ? "The batch is paused." : `The batch is paused: ${plain(problem.message)}`;
  if (problem === undefined || !OF_CREDENTIALS.has(problem.code))
    return new CommandError(`${why} Go on with: sluice import resume ${id} --watch`);
  const add = `sluice import credentials add --source ${String(source["type"])}`;
  return new CommandError(
    `${why} Give it other credentials: ${add}, then sluice import resume ${id} --credential ID --watch`,
  );
}

/** That a video was migrated before is no failure. */
function showReason(reason: BatchReport["reasons"][number], screen: Screen): void {
  if (reason.status === "failed" || reason.status === "cancelled") screen.failure(reasonLine(reason), "");
  else note(screen, reasonLine(reason));
}

async function finish(session: ImportSession, batch: Batch): Promise<number> {
  const { sluice, reporter, signal } = session;
  const { id, status, counts } = batch;
  const options = { ...ofBatch(id), signal };
  const { data: report } = await ridingOut(session)(() => sluice.get("/v1/imports/{importId}/report", options));
  const retry = counts.failed > 0 && status === "done" ? await retryOf(session, batch) : null;
  const { reasons, differences } = report;
  reporter.say({ kind: "ended", importId: id, status, counts, reasons, differences }, (screen) => {
    screen.step(status === "done" ? "Done" : "Cancelled", countText(counts.ready), countsText(batch));
    for (const reason of reasons) showReason(reason, screen);
    if (differences.length > 0) screen.text("Some media differ from the source: the report lists how.");
    if (retry !== null && retry.needs !== "") screen.text(retry.needs);
    screen.links([
      ["Report", `sluice import report ${id}`],
      ["New ids", `sluice import map ${id} --output map.csv`],
      ...(retry === null ? [] : [["Try again", retry.command] as [string, string]]),
    ]);
  });
  return counts.failed === 0 ? ENDS.done : ENDS.itemsFailed;
}
