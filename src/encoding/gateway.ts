import { getContainer } from "@cloudflare/containers";
import type { Job } from "../../encoder/protocol.ts";
import type { EncoderContainer } from "../../durable-objects/encoder-container.ts";
import type { Env } from "../env.ts";
import { log } from "../http/log.ts";

/** How an encoder took a job: `full` and `unreachable` are worth another try later and cost the job no attempt. */
export type Submission = "accepted" | "full" | "unreachable";

/** How many jobs of one asset may be out at once: one machine runs them in turn, containers in parallel. */
export const PARALLEL_JOBS = { http: 3, container: 12 } as const;
const CONTAINERS = 20; // max_instances in wrangler.toml
const SUBMIT_TIMEOUT_MS = 10_000;

export interface EncoderGateway {
  parallelJobs: number;
  submit(job: Job): Promise<Submission>;
  /** Tells the encoder to stop a job; a lost message is harmless, its next heartbeat says the same. */
  cancel(jobId: string, attempt: number): Promise<void>;
  health(): Promise<unknown>;
}

/** One gateway, two drivers: `ENCODER_URL` when set, else the container binding. */
export function encoderGateway(env: Env): EncoderGateway {
  const send = env.ENCODER_URL !== "" ? overHttp(env) : overContainers(env);
  const authorization = `Bearer ${env.ENCODER_SECRET}`;
  return {
    parallelJobs: env.ENCODER_URL !== "" ? PARALLEL_JOBS.http : PARALLEL_JOBS.container,
    async submit(job) {
      try {
        const headers = { authorization, "content-type": "application/json" };
        const init = {
          method: "POST",
          headers,
          body: JSON.stringify(job),
          signal: AbortSignal.timeout(SUBMIT_TIMEOUT_MS),
        };
        const response = await send(`${job.jobId}/${job.attempt}`, "/jobs", init);
        await response.body?.cancel();
        if (response.ok) return "accepted";
        if (response.status === 401) log("encoder.refused_secret", { jobId: job.jobId }); // until both sides have the new one
        if (response.status === 422) throw new Error(`the encoder refused job ${job.jobId} as malformed`);
        return response.status === 429 ? "full" : "unreachable";
      } catch (error) {
        if (error instanceof Error && error.message.startsWith("the encoder refused")) throw error;
        return "unreachable";
      }
    },
    async cancel(jobId, attempt) {
      const init = { method: "DELETE", headers: { authorization }, signal: AbortSignal.timeout(2000) };
      await send(`${jobId}/${attempt}`, `/jobs/${encodeURIComponent(jobId)}`, init).then(
        (response) => response.body?.cancel(),
        () => undefined,
      );
    },
    async health() {
      // Asking a container would wake it, and a monitor that asks every minute would keep it awake.
      if (env.ENCODER_URL === "") return await containerOf(env, 0).getState();
      const response = await send("health", "/health", {
        headers: { authorization },
        signal: AbortSignal.timeout(2000),
      });
      if (!response.ok) throw new Error(`the encoder answered ${response.status}`);
      return await response.json();
    },
  };
}

type Send = (route: string, path: string, init: RequestInit) => Promise<Response>;

const overHttp =
  (env: Env): Send =>
  (_route, path, init) =>
    fetch(new URL(path, env.ENCODER_URL), init);

/** A job and its attempt name the instance, so that a cancel finds it and another attempt goes elsewhere. */
const overContainers =
  (env: Env): Send =>
  (route, path, init) => {
    let hash = 0;
    for (const char of route) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) >>> 0;
    return containerOf(env, hash % CONTAINERS).fetch(new Request(`http://encoder${path}`, init));
  };

const containerOf = (env: Env, instance: number) =>
  getContainer(env.ENCODER as unknown as DurableObjectNamespace<EncoderContainer>, `encoder-${instance}`);
