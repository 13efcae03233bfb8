import { type Container, getContainer } from "@cloudflare/containers";
import { isSecureUrl } from "../../../protocol/secure-url.ts";
import type { Job } from "../../../protocol/jobs.ts";
import type { Env } from "../../platform/env.ts";
import { logError, logWarning } from "../../platform/log.ts";
import { askWithSecrets } from "../../platform/crypto/encoder-secret.ts";

/** An encoder's answer to a job. `full` and `unreachable` are retried later and do not count as an attempt. */
export type Submission = "accepted" | "full" | "unreachable";

/** Maximum number of jobs of one asset submitted at once. A single encoder queues them; containers run them in parallel. */
const PARALLEL_JOBS = { http: 3, container: 12 } as const;
const SUBMIT_TIMEOUT_MS = 10_000;

/** The encoder rejected a job as malformed: Worker and encoder are of different releases. Retrying does not help. */
class JobRefused extends Error {
  override readonly name = "JobRefused";
  constructor(jobId: string) {
    super(`the encoder refused job ${jobId} as malformed`);
  }
}

export interface EncoderClient {
  parallelJobs: number;
  submit(job: Job): Promise<Submission>;
  /** Asks the encoder to stop a job. A lost request is harmless: the answer to the next heartbeat stops the job too. */
  cancel(jobId: string, attempt: number): Promise<void>;
  health(): Promise<unknown>;
}

type Question = Omit<RequestInit, "headers"> & { headers?: Record<string, string> };

/** One client, two drivers: `ENCODER_URL` when set, else the container binding. */
export function encoderClient(env: Env): EncoderClient {
  const ask = async (route: string, path: string, { headers, ...init }: Question) => {
    const withSecret = (secret: string) =>
      encoderAt(env, instanceOf(route, Number(env.ENCODER_CONTAINERS)))(path, {
        ...init,
        headers: { ...headers, authorization: `Bearer ${secret}` },
      });
    return (await askWithSecrets(env, withSecret)).response;
  };
  return {
    parallelJobs: env.ENCODER_URL !== "" ? PARALLEL_JOBS.http : PARALLEL_JOBS.container,
    async submit(job) {
      try {
        const init = {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(job),
          signal: AbortSignal.timeout(SUBMIT_TIMEOUT_MS),
        };
        const response = await ask(`${job.jobId}/${job.attempt}`, "/jobs", init);
        await response.body?.cancel();
        if (response.ok) return "accepted";
        if (response.status === 401) logError("encoder.refused_secret", { jobId: job.jobId }); // until both sides have the new secret
        if (response.status === 422) throw new JobRefused(job.jobId);
        return response.status === 429 ? "full" : "unreachable";
      } catch (error) {
        if (error instanceof JobRefused) throw error;
        logWarning("encoder.request_failed", { jobId: job.jobId, error: String(error) });
        return "unreachable";
      }
    },
    async cancel(jobId, attempt) {
      const init = { method: "DELETE", signal: AbortSignal.timeout(2000) };
      await ask(`${jobId}/${attempt}`, `/jobs/${encodeURIComponent(jobId)}`, init).then(
        (response) => response.body?.cancel(),
        (error: unknown) => logWarning("encoder.cancel_failed", { jobId, attempt, error: String(error) }),
      );
    },
    async health() {
      // A request would start the container, and a monitor that polls every minute would keep it running.
      if (env.ENCODER_URL === "") return await explained(async () => await containerNamed(env, "encoder-0").getState());
      const response = await ask("health", "/health", { signal: AbortSignal.timeout(2000) });
      if (!response.ok) throw new Error(`the encoder answered ${response.status}`);
      return await response.json();
    },
  };
}

type Send = (path: string, init?: RequestInit) => Promise<Response>;

/** The encoder at `ENCODER_URL` when set, otherwise the container of this name. The caller adds the authorization. */
export function encoderAt(env: Env, instance: string): Send {
  if (env.ENCODER_URL === "")
    return (path, init) =>
      explained(() => containerNamed(env, instance).fetch(new Request(`http://encoder${path}`, init)));
  return async (path, init) => {
    if (!isSecureUrl(env.ENCODER_URL)) throw new Error("ENCODER_URL is neither https nor on this machine");
    return await fetch(new URL(path, env.ENCODER_URL), init);
  };
}

/** The instance is derived from job and attempt, so a cancel reaches it, and another attempt may use another instance. */
export function instanceOf(route: string, count: number): string {
  let hash = 0;
  for (const char of route) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) >>> 0;
  return `encoder-${hash % count}`;
}

const NO_ENCODER =
  'there is no encoder: ENCODER_URL is empty, and this Worker has no containers. "npm run dev" starts an encoder beside the Worker; ' +
  "a deployment needs containers (npm run deploy) or ENCODER_URL";

/** Replaces what the library says where the class has no container, as in `wrangler dev`: it names neither the encoder nor ENCODER_URL. */
async function explained<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    if (!String(error).includes("Containers have not been enabled")) throw error;
    throw new Error(NO_ENCODER, { cause: error });
  }
}

const containerNamed = (env: Env, instance: string) =>
  getContainer(env.ENCODER as unknown as DurableObjectNamespace<Container>, instance);
