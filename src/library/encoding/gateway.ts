import { type Container, getContainer } from "@cloudflare/containers";
import { isSecureUrl } from "../../../protocol/secure-url.ts";
import type { Job } from "../../../protocol/jobs.ts";
import type { Env } from "../../platform/env.ts";
import { logError, logWarning } from "../../platform/log.ts";
import { askWithSecrets } from "../../platform/crypto/encoder-secret.ts";

/** How an encoder took a job: `full` and `unreachable` are worth another try later and cost the job no attempt. */
export type Submission = "accepted" | "full" | "unreachable";

/** How many jobs of one asset may be out at once: one machine runs them in turn, containers in parallel. */
const PARALLEL_JOBS = { http: 3, container: 12 } as const;
const CONTAINERS = 20; // max_instances in wrangler.toml
const SUBMIT_TIMEOUT_MS = 10_000;

/** The encoder does not understand a job of ours: Worker and encoder are of different releases. Retrying does not help. */
class JobRefused extends Error {
  override readonly name = "JobRefused";
  constructor(jobId: string) {
    super(`the encoder refused job ${jobId} as malformed`);
  }
}

export interface EncoderGateway {
  parallelJobs: number;
  submit(job: Job): Promise<Submission>;
  /** Tells the encoder to stop a job; a lost message is harmless, its next heartbeat says the same. */
  cancel(jobId: string, attempt: number): Promise<void>;
  health(): Promise<unknown>;
}

type Question = Omit<RequestInit, "headers"> & { headers?: Record<string, string> };

/** One gateway, two drivers: `ENCODER_URL` when set, else the container binding. */
export function encoderGateway(env: Env): EncoderGateway {
  const ask = async (route: string, path: string, { headers, ...init }: Question) => {
    const withSecret = (secret: string) =>
      encoderAt(env, instanceOf(route))(path, {
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
        if (response.status === 401) logError("encoder.refused_secret", { jobId: job.jobId }); // until both sides have the new one
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
      // Asking a container would wake it, and a monitor that asks every minute would keep it awake.
      if (env.ENCODER_URL === "") return await containerNamed(env, "encoder-0").getState();
      const response = await ask("health", "/health", { signal: AbortSignal.timeout(2000) });
      if (!response.ok) throw new Error(`the encoder answered ${response.status}`);
      return await response.json();
    },
  };
}

type Send = (path: string, init?: RequestInit) => Promise<Response>;

/** One encoder: the one at `ENCODER_URL` when that is set, else the container of this name. Authorization is the caller's. */
export function encoderAt(env: Env, instance: string): Send {
  if (env.ENCODER_URL === "")
    return (path, init) => containerNamed(env, instance).fetch(new Request(`http://encoder${path}`, init));
  return async (path, init) => {
    if (!isSecureUrl(env.ENCODER_URL)) throw new Error("ENCODER_URL is neither https nor on this machine");
    return await fetch(new URL(path, env.ENCODER_URL), init);
  };
}

/** A job and its attempt name the instance, so that a cancel finds it and another attempt goes elsewhere. */
function instanceOf(route: string): string {
  let hash = 0;
  for (const char of route) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) >>> 0;
  return `encoder-${hash % CONTAINERS}`;
}

const containerNamed = (env: Env, instance: string) =>
  getContainer(env.ENCODER as unknown as DurableObjectNamespace<Container>, instance);
