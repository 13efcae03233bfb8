/** The encoder's HTTP API, documented in protocol/jobs.ts. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { z } from "zod";
import { boundedServer, type ServerLimits } from "./platform/bounded-server.ts";
import type { PushService } from "./gateway/reception/push-service.ts";
import { isSecret } from "./platform/bearer.ts";
import type { ImagePool } from "./images/image-pool.ts";
import { answerImage } from "./images/route.ts";
import type { JobQueue } from "./jobs/job-queue.ts";
import { errorFields } from "../protocol/error-fields.ts";
import { log, logError } from "../protocol/log.ts";
import { Job } from "../protocol/jobs.ts";
import { readBounded } from "../protocol/read-bounded.ts";

const MAX_BODY_BYTES = 1 << 20;
const STATUS_OF = { accepted: 202, known: 200, full: 429, draining: 503 } as const;

export function encoderServer(
  secrets: readonly string[],
  queue: JobQueue,
  pushes: PushService,
  images: ImagePool,
  limits?: ServerLimits,
): Server {
  const isKnown = ({ headers }: IncomingMessage) => isSecret(headers.authorization, secrets);
  const serve = (request: IncomingMessage, response: ServerResponse) =>
    void handle(request, response, { queue, pushes, images }).catch((error: unknown) => {
      logError("request.failed", {
        path: request.url ?? "",
        ...errorFields(error),
      });
      if (!response.headersSent) answer(response, 500, { error: "internal" });
    });
  return boundedServer(isKnown, serve, limits);
}

interface Services {
  queue: JobQueue;
  pushes: PushService;
  images: ImagePool;
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  { queue, pushes, images }: Services,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://encoder");
  const jobId = /^\/jobs\/([^/]+)$/.exec(pathname)?.[1];
  const route = `${request.method} ${jobId === undefined ? pathname : "/jobs/:jobId"}`;
  if (route === "GET /health") {
    const health = queue.health();
    return answer(response, 200, { ...health, running: health.running + pushes.broadcasts });
  }
  if (route === "POST /push") return pushes.take(request, response);
  if (route === "POST /images")
    return await answerImage(request, response, images, {
      isOurs: searchParams.get("media") === "ours",
      workspace: searchParams.get("workspace") ?? "",
      assetId: searchParams.get("asset"),
    });
  if (route === "POST /jobs") return submit(request, response, queue);
  const held = jobId === undefined ? undefined : queue.find(decodeURIComponent(jobId));
  if (route === "GET /jobs/:jobId" && held !== undefined) return answer(response, 200, held.status());
  if (route === "DELETE /jobs/:jobId") {
    held?.cancel();
    return answer(response, 204);
  }
  return answer(response, 404, { error: "not_found" });
}

async function submit(request: IncomingMessage, response: ServerResponse, queue: JobQueue): Promise<void> {
  const job = Job.safeParse(await jsonBody(request));
  if (!job.success) return answer(response, 422, { error: "invalid_job", issues: z.flattenError(job.error) });
  const acceptance = queue.accept(job.data);
  log("job.submitted", { jobId: job.data.jobId, kind: job.data.kind, attempt: job.data.attempt, acceptance });
  return answer(response, STATUS_OF[acceptance], { jobId: job.data.jobId, acceptance });
}

/** Undefined when the body is too long or not JSON. */
async function jsonBody(request: IncomingMessage): Promise<unknown> {
  const bytes = await readBounded(request.iterator({ destroyOnReturn: false }), MAX_BODY_BYTES);
  if (bytes === null) {
    request.resume(); // the client reads the response only after sending its body
    return undefined;
  }
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

function answer(response: ServerResponse, status: number, body?: unknown): void {
  if (body === undefined) return void response.writeHead(status).end();
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}
