/** A running encoder, and jobs for it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { CaptionsJob } from "../../protocol/captions.ts";
import type {
  AudioJob,
  AudioResult,
  EncoderHealth,
  Job,
  JobFailure,
  JobStatus,
  ProbeJob,
  ProbeResult,
  VideoJob,
  VideoResult,
} from "../../protocol/jobs.ts";
import type { SourceFacts } from "../../protocol/source-facts.ts";
import type { PicturesJob } from "../../protocol/pictures.ts";
import type { SpeechJob, TranscribeJob } from "../../protocol/speech.ts";
import { CallbackServer, type Desk, type Ending } from "./callback-server.ts";

const SECRET = "secret of the encoder tests: long enough";

/** The fields of a job that differ between tests. */
type Wanted<J extends Job> = Omit<
  J,
  "jobId" | "assetId" | "attempt" | "callbackUrl" | "token" | "expiresAt" | "leaseMs" | "clip"
> &
  Partial<Pick<J, "clip" | "leaseMs" | "expiresAt">>;
export type AnyWanted =
  | Wanted<ProbeJob>
  | Wanted<VideoJob>
  | Wanted<AudioJob>
  | Wanted<CaptionsJob>
  | Wanted<SpeechJob>
  | Wanted<TranscribeJob>
  | Wanted<PicturesJob>;

export interface LogLine {
  event: string;
  [field: string]: unknown;
}

export class TestEncoder {
  readonly callbacks = new CallbackServer();
  readonly logs: LogLine[] = [];
  process!: ChildProcess;
  baseUrl = "";
  #jobs = 0;

  static async start(environment: Record<string, string> = {}): Promise<TestEncoder> {
    const encoder = new TestEncoder();
    await encoder.callbacks.listen();
    const entry = fileURLToPath(new URL("../../encoder/server.ts", import.meta.url));
    const { PATH = "", NODE_COMPILE_CACHE } = process.env;
    const env = { PATH, NODE_COMPILE_CACHE, PORT: "0", ENCODER_SECRET: SECRET, ...environment };
    encoder.process = spawn(process.execPath, [entry], { env, stdio: ["ignore", "pipe", "inherit"] });
    const { promise: port, resolve } = Promise.withResolvers<number>();
    createInterface({ input: encoder.process.stdout! }).on("line", (line) => {
      const entryLogged = JSON.parse(line) as LogLine;
      encoder.logs.push(entryLogged);
      if (entryLogged.event === "service.listening") resolve(Number(entryLogged["port"]));
    });
    encoder.baseUrl = `http://127.0.0.1:${await port}`;
    return encoder;
  }

  async stop(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      this.process.kill("SIGTERM");
      await once(this.process, "exit");
    }
    await this.callbacks.close();
  }

  request(method: string, path: string, body?: unknown, secret = SECRET): Promise<Response> {
    return fetch(`${this.baseUrl}${path}`, {
      method,
      headers: { Authorization: `Bearer ${secret}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async health(): Promise<EncoderHealth> {
    return (await (await this.request("GET", "/health")).json()) as EncoderHealth;
  }

  async status(jobId: string): Promise<JobStatus | undefined> {
    const response = await this.request("GET", `/jobs/${jobId}`);
    return response.ok ? ((await response.json()) as JobStatus) : undefined;
  }

  /** A job with its own desk, not submitted yet. */
  prepare(sourcePath: string, wanted: AnyWanted): { job: Job; desk: Desk } {
    const jobId = `job-${++this.#jobs}`;
    const { desk, callbackUrl, token } = this.callbacks.open(jobId, sourcePath);
    const base = {
      jobId,
      assetId: "asset",
      attempt: 1,
      callbackUrl,
      token,
      expiresAt: Date.now() + 120_000,
      leaseMs: 10_000,
      clip: { startMs: 0, endMs: null },
    };
    return { job: { ...base, ...wanted }, desk };
  }

  async submit(sourcePath: string, wanted: AnyWanted): Promise<{ job: Job; desk: Desk }> {
    const prepared = this.prepare(sourcePath, wanted);
    const response = await this.request("POST", "/jobs", prepared.job);
    if (response.status !== 202) throw new Error(`POST /jobs answered ${response.status}: ${await response.text()}`);
    return prepared;
  }

  /** Runs one job to its end. */
  async run(sourcePath: string, wanted: AnyWanted): Promise<{ ending: Ending; desk: Desk }> {
    const { desk } = await this.submit(sourcePath, wanted);
    return { ending: await desk.ending, desk };
  }

  async probe(sourcePath: string, clip?: ProbeJob["clip"]): Promise<SourceFacts> {
    const { ending } = await this.run(sourcePath, { kind: "probe", ...(clip ? { clip } : {}) });
    return (resultOf(ending) as ProbeResult).facts;
  }

  async encodeVideo(
    sourcePath: string,
    wanted: Omit<Wanted<VideoJob>, "kind">,
  ): Promise<{ result: VideoResult; desk: Desk }> {
    const { ending, desk } = await this.run(sourcePath, { kind: "video", ...wanted });
    return { result: resultOf(ending) as VideoResult, desk };
  }

  async encodeAudio(
    sourcePath: string,
    wanted: Omit<Wanted<AudioJob>, "kind">,
  ): Promise<{ result: AudioResult; desk: Desk }> {
    const { ending, desk } = await this.run(sourcePath, { kind: "audio", ...wanted });
    return { result: resultOf(ending) as AudioResult, desk };
  }

  async failure(sourcePath: string, wanted: AnyWanted = { kind: "probe" }): Promise<JobFailure> {
    const { ending } = await this.run(sourcePath, wanted);
    if ("failure" in ending) return ending.failure;
    throw new Error(`the job went well: ${JSON.stringify(ending.result).slice(0, 500)}`);
  }
}

function resultOf(ending: Ending) {
  if ("result" in ending) return ending.result;
  throw new Error(`the job failed: ${ending.failure.code} ${ending.failure.message}`);
}
