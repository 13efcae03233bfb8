import { createMiddleware } from "hono/factory";
import { Problem } from "../../platform/http/problems.ts";
import { bearerOf } from "../../platform/http/requests.ts";
import type { AppContext } from "../../platform/http/router.ts";
import { logWarning } from "../../platform/log.ts";
import { type JobGrant, readJobGrant } from "./job-token.ts";

/** Hono's context behind `requireJob`. */
export interface JobContext {
  Bindings: AppContext["Bindings"];
  Variables: AppContext["Variables"] & { grant: JobGrant };
}

/** Authenticates an encoder by the token of its job. A token is valid for that job only. */
export const requireJob = createMiddleware<JobContext>(async (c, next) => {
  const jobId = c.req.param("jobId") ?? "";
  const grant = await readJobGrant(c.env.JOB_SECRET, bearerOf(c), jobId, Date.now());
  if (typeof grant === "string") {
    logWarning("job.token_refused", { jobId, reason: grant, method: c.req.method, requestId: c.var.requestId });
    const isGenuine = grant === "foreign" || grant === "expired";
    throw new Problem(isGenuine ? "forbidden" : "unauthorized", `the job token is ${grant}`);
  }
  c.set("grant", grant);
  await next();
});
