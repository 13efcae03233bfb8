import { errorFields, logError } from "./log.ts";

/** Logs the errors of work that a request hands to `waitUntil`. Under `npm start` nothing else would: the request has been answered. */
export function logLostWork(ctx: Pick<ExecutionContext, "waitUntil">): void {
  const waitUntil = ctx.waitUntil.bind(ctx);
  ctx.waitUntil = (work: Promise<unknown>) => {
    work.catch((error: unknown) => logError("request.work_failed", { ...errorFields(error) }));
    waitUntil(work);
  };
}
