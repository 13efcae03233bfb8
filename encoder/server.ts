/**
 * The encoder service. Environment:
 *   PORT (8790), HOST (127.0.0.1)
 *   ENCODER_SECRET or ENCODER_SECRET_FILE   required
 *   MEDIA_UID, MEDIA_GID                    user and group of processes that read media; requires root
 *   ENCODER_CAPACITY (1)                    concurrent video jobs; one job of each other kind runs alongside
 *   ENCODER_QUEUE (32)                      queued jobs
 *   WHISPER_MODEL                           a speech model in ggml's format, for generated captions; absent = none
 *   ENCODER_BROADCASTS (2)                  concurrent broadcasts pushed over HTTP
 * On SIGTERM and SIGINT running jobs are returned (`encoder_shutdown`), then the service exits within a few seconds.
 */
import { z } from "zod";
import { PushService } from "./gateway/reception/push-service.ts";
import { encoderServer } from "./http.ts";
import { ImagePool } from "./images/image-pool.ts";
import { JobQueue } from "./jobs/job-queue.ts";
import { errorFields } from "../protocol/error-fields.ts";
import { log, logError } from "../protocol/log.ts";
import { mediaUser } from "./platform/media-process.ts";
import { takeSecrets } from "./platform/secret-environment.ts";
import { secretVariable } from "../protocol/secrets.ts";

const EXIT_TIMEOUT_MS = 4_000;
/** Starting a process costs CPU time, which the first jobs need more. */
const IMAGES_AFTER_MS = 3000;

const environment = z
  .object({
    PORT: z.coerce.number().int().min(0).max(65_535).default(8790),
    HOST: z.string().default("127.0.0.1"),
    ENCODER_SECRET: secretVariable("ENCODER_SECRET"),
    ENCODER_CAPACITY: z.coerce.number().int().min(1).default(1),
    ENCODER_QUEUE: z.coerce.number().int().min(0).default(32),
    ENCODER_BROADCASTS: z.coerce.number().int().min(0).default(2),
  })
  .safeParse({ ...process.env, ...takeSecrets(["ENCODER_SECRET"]) });
if (!environment.success) {
  logError("service.environment_unusable", { reason: z.prettifyError(environment.error) });
  process.exit(2);
}

const { PORT, HOST, ENCODER_SECRET, ENCODER_CAPACITY, ENCODER_QUEUE, ENCODER_BROADCASTS } = environment.data;
const queue = new JobQueue({ capacity: ENCODER_CAPACITY, queue: ENCODER_QUEUE });
const pushes = new PushService(ENCODER_SECRET[0], ENCODER_BROADCASTS);
const images = new ImagePool();
const server = encoderServer(ENCODER_SECRET, queue, pushes, images);
server.on("error", (error) => {
  logError("service.cannot_listen", { host: HOST, port: PORT, reason: error.message });
  process.exit(1);
});
server.listen(PORT, HOST, () => {
  const address = server.address();
  log("service.listening", {
    host: HOST,
    port: typeof address === "object" && address !== null ? address.port : PORT,
    capacity: ENCODER_CAPACITY,
    mediaUid: mediaUser()?.uid ?? process.getuid?.() ?? -1,
  });
  queue.warmUp();
  setTimeout(() => images.warmUp(), IMAGES_AFTER_MS).unref();
});

let isStopping = false;
function stop(signal: string): void {
  if (isStopping) return;
  isStopping = true;
  log("service.draining", { signal });
  setTimeout(() => process.exit(0), EXIT_TIMEOUT_MS).unref();
  images.close();
  void Promise.all([queue.drain(), pushes.close()]).finally(() => process.exit(0));
}
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stop(signal));
process.on("uncaughtExceptionMonitor", (error) => logError("service.crashed", { ...errorFields(error) }));
process.on("disconnect", () => stop("disconnect")); // the local platform that started the service has exited
