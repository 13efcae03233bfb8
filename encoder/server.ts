/**
 * The encoder service. Environment:
 *   PORT (8790), HOST (127.0.0.1), ENCODER_SECRET or ENCODER_SECRET_FILE (required), MEDIA_UID and MEDIA_GID (the user of processes that read media; needs root), ENCODER_CAPACITY video jobs run at once (1; a probe or a sound beside them), ENCODER_QUEUE waiting beyond that (32), ENCODER_BROADCASTS
 *   pushed over HTTP at once (2).
 * SIGTERM and SIGINT: running jobs are given back (`encoder_shutdown`), then it exits, within a few seconds.
 */
import { z } from "zod";
import { PushService } from "./gateway/push-service.ts";
import { encoderServer } from "./http.ts";
import { JobQueue } from "./job-queue.ts";
import { log, logError } from "../protocol/log.ts";
import { mediaUser } from "./media-process.ts";
import { takeSecrets } from "./secret-environment.ts";
import { secretVariable } from "../protocol/secrets.ts";

const EXIT_AT_LATEST_MS = 4_000;

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
const server = encoderServer(ENCODER_SECRET, queue, pushes);
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
});

let isLeaving = false;
function leave(signal: string): void {
  if (isLeaving) return;
  isLeaving = true;
  log("service.draining", { signal });
  setTimeout(() => process.exit(0), EXIT_AT_LATEST_MS).unref();
  void Promise.all([queue.drain(), pushes.close()]).finally(() => process.exit(0));
}
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => leave(signal));
process.on("disconnect", () => leave("disconnect")); // the local platform that started it is gone
