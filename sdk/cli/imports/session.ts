import type { Sluice } from "../../index.ts";
import { openSession } from "../session/open-session.ts";
import { detachSignal } from "../terminal/interrupt.ts";
import { createReporter, type Reporter } from "../terminal/reporter.ts";

/** What each command of migrations works with. */
export interface ImportSession {
  sluice: Sluice;
  reporter: Reporter;
  /** Aborted by the first Ctrl-C. Every call is given it. */
  signal: AbortSignal;
}

/** @throws {CommandError} without credentials of the platform */
export async function openImports(isJson: boolean): Promise<ImportSession> {
  return { sluice: await openSession(), reporter: createReporter(isJson), signal: detachSignal() };
}

/** The parameters of a call of one batch. */
export const ofBatch = (importId: string) => ({ params: { path: { importId } } });
