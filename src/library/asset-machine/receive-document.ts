import type { Heartbeat, JobFailure, JobResult } from "../../../protocol/jobs.ts";
import type { AssetForMachine } from "../assets/repository.ts";
import type { JobObject } from "../encoding/store-object.ts";
import { onComplete } from "./on-complete.ts";
import { onFailure } from "./on-failure.ts";
import { onHeartbeat } from "./on-heartbeat.ts";
import type { AssetParts } from "./parts.ts";
import { isCurrentAttempt, replaceObject } from "./replace-object.ts";
import { startAsset } from "./start-asset.ts";

/** Answers to an encoder whose job is unknown or over. */
const OVER: Record<string, object> = {
  heartbeat: { continue: false },
  complete: { accepted: false },
  fail: { accepted: false },
  write: { verdict: "over" },
  replace: { verdict: "over" },
};

/** More of the uploaded source is stored, or all of it. */
function onArrival({ documents, isProcessing, timers, clock }: AssetParts): object {
  if (isProcessing && documents.get("asset") !== undefined) {
    documents.put("arrivals", (documents.get("arrivals") ?? 0) + 1);
    timers.bringForward("work", clock());
  }
  return {};
}

/** Answers a document: `start` from the creation of the asset, otherwise a report from the encoder of one job. */
export async function receiveDocument(machine: AssetParts, name: string, document: unknown): Promise<unknown> {
  if (name === "start") return startAsset(machine, document as AssetForMachine);
  if (name === "arrived") return onArrival(machine);
  const { jobId, ...rest } = document as { jobId: string };
  const job = machine.isProcessing ? machine.jobs.get(jobId) : undefined;
  if (job === undefined) return OVER[name];
  if (name === "heartbeat") return onHeartbeat(machine, job, rest as Heartbeat);
  if (name === "write") return { verdict: isCurrentAttempt(job, rest as JobObject) ? "write" : "over" };
  if (name === "replace") return { verdict: await replaceObject(machine, job.id, rest as JobObject) };
  if (name === "complete") return onComplete(machine, job, rest as { result: JobResult; attempt: number });
  if (name === "fail") return onFailure(machine, job, rest as JobFailure & { attempt: number });
  throw new Error(`an asset machine does not know ${name}`);
}
