import type { Batch, BatchReport } from "../records.ts";
import { type ImportSession, ofBatch } from "../session.ts";
import type { ridingOut } from "./follow-batch.ts";
import { countsText, endedPercent, liveLines, problemText } from "./live-lines.ts";

type Reasons = BatchReport["reasons"];

/** Failures are grouped by the platform, which reads all of them for it. */
const REASONS_MS = 5000;
/** Without a terminal, a line at each so many percent. */
const STEP_PERCENT = 10;
const NOTE = "Ctrl-C leaves it running.";

/** Shows a batch while it runs: on a terminal as a block that is drawn again, else as lines, or as JSON when something has changed. */
export class LiveView {
  private readonly session: ImportSession;
  private readonly importId: string;
  private readonly call: ReturnType<typeof ridingOut>;
  private reasons: Reasons = [];
  private reasonsOf = { failed: 0, atMs: -Infinity };
  private shown = "";
  private shownStep = -1;
  private shownProblem: string | null = null;

  constructor(session: ImportSession, importId: string, call: ReturnType<typeof ridingOut>) {
    this.session = session;
    this.importId = importId;
    this.call = call;
  }

  async show(batch: Batch): Promise<void> {
    const { screen, isJson } = this.session.reporter;
    if (isJson) return this.say(batch);
    if (!screen.isTerminal) return this.print(batch);
    await this.readReasons(batch);
    screen.block(liveLines(batch, this.reasons, { width: screen.width, note: NOTE }));
  }

  private say(batch: Batch): void {
    const { status, counts, preparedAtSource, problem, nextAttemptAt, itemsPerMinute, secondsLeft } = batch;
    const news = JSON.stringify({ status, counts, preparedAtSource, problem, nextAttemptAt });
    if (news === this.shown) return;
    this.shown = news;
    const pace = { itemsPerMinute, secondsLeft };
    const moment = { kind: "progress", status, counts, preparedAtSource, problem, nextAttemptAt, ...pace };
    this.session.reporter.say(moment, () => undefined);
  }

  private print(batch: Batch): void {
    const { screen } = this.session.reporter;
    const problem = problemText(batch);
    if (problem !== null && problem !== this.shownProblem) screen.text(problem);
    this.shownProblem = problem;
    const step = Math.floor(endedPercent(batch) / STEP_PERCENT);
    if (step === this.shownStep) return;
    this.shownStep = step;
    screen.lines([`  ${endedPercent(batch)} %  ${countsText(batch)}`]);
  }

  private async readReasons({ counts }: Batch): Promise<void> {
    const now = performance.now();
    const { failed, atMs } = this.reasonsOf;
    if (counts.failed === failed || now - atMs < REASONS_MS) return;
    const { sluice, signal } = this.session;
    const options = { ...ofBatch(this.importId), signal };
    const { data } = await this.call(() => sluice.get("/v1/imports/{importId}/report", options));
    this.reasons = data.reasons;
    this.reasonsOf = { failed: counts.failed, atMs: now };
  }
}
