/** A process that makes pictures: started in advance, monitored, and ended when it exceeds its limits. */
import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { bodyBytesOf, type ImageRequest } from "../../protocol/images.ts";
import { LIBAV_ENVIRONMENT, startMediaProcess } from "../platform/media-process.ts";
import { Supervisor } from "../platform/supervisor.ts";
import { ByteQueue } from "./byte-queue.ts";
import { takesTooLong } from "./limits.ts";
import type { ImageChildMessage, ImageFailure, MakeMessage } from "./messages.ts";

const CHILD_PATH = fileURLToPath(new URL("./child.ts", import.meta.url));
const HEAP_MIB = 512;
const WATCH_MS = 200;
const RSS_BYTES = 1.5 * 2 ** 30;

export type ImageOutcome =
  | { type: "made"; contentType: string; bytes: Buffer }
  /** `how`: signal or exit code and the last standard error of a process that ended. */
  | ({ type: "failed"; how?: string } & ImageFailure);

const TOO_LARGE: ImageOutcome = {
  type: "failed",
  code: "source_exceeds_limits",
  message: "The picture needs too much memory.",
};
const TOO_SLOW: ImageOutcome = { type: "failed", code: "source_exceeds_limits", message: "The picture took too long." };
const CRASHED = {
  type: "failed",
  code: "encoder_crashed",
  message: "The process that made the picture ended.",
} as const satisfies ImageOutcome;

export class ImageProcess {
  readonly #child: ChildProcess;
  readonly #output: ByteQueue;
  /** Resolves when the process has ended, with the reason. */
  readonly ended: Promise<ImageOutcome>;
  /** Start of the current picture. */
  #startedMs: number | null = null;
  #hasEnded = false;
  made = 0;

  /** @throws {ProcessNotStarted} */
  constructor() {
    this.#child = startMediaProcess(CHILD_PATH, {
      stdio: ["pipe", "pipe", "pipe", "ipc"],
      heapMiB: HEAP_MIB,
      environment: LIBAV_ENVIRONMENT,
    });
    this.#child.stdin!.on("error", () => {}); // the supervisor reports a process that has ended
    this.#output = new ByteQueue(this.#child.stdout!);
    const supervisor = new Supervisor<ImageOutcome>(this.#child, {
      watchMs: WATCH_MS,
      rssBytes: RSS_BYTES,
      tooLarge: TOO_LARGE,
      verdict: () => (this.#startedMs !== null && takesTooLong(this.#startedMs, performance.now()) ? TOO_SLOW : null),
    });
    this.ended = supervisor.watch().then(({ outcome, how }) => {
      this.#hasEnded = true;
      return outcome ?? { ...CRASHED, how };
    });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** One request at a time; never rejects. */
  async make(request: ImageRequest, body: Uint8Array): Promise<ImageOutcome> {
    this.#startedMs = performance.now();
    this.made++;
    const message: MakeMessage = { type: "make", request, bodyBytes: bodyBytesOf(request) };
    this.#child.send(message, () => {});
    this.#child.stdin!.write(body);
    const outcome = await Promise.race([this.#answer(), this.ended]);
    this.#startedMs = null;
    return outcome;
  }

  async #answer(): Promise<ImageOutcome> {
    const message = await new Promise<ImageChildMessage>((resolve) => {
      const listener = (one: ImageChildMessage) => {
        if (one.type === "ready") return;
        this.#child.off("message", listener);
        resolve(one);
      };
      this.#child.on("message", listener);
    });
    if (message.type === "made")
      return { type: "made", contentType: message.contentType, bytes: await this.#output.take(message.bytes) };
    if (message.type === "failed") return message;
    return CRASHED;
  }

  end(): void {
    this.#child.kill("SIGKILL");
  }
}
