/** Entry point of a process that makes pictures, one at a time. */
import { Log } from "node-av/lib";
import { AV_LOG_QUIET } from "node-av/constants";
import { errorFields } from "../../protocol/error-fields.ts";
import { JobError } from "../platform/errors.ts";
import { ByteQueue } from "./byte-queue.ts";
import { makeImage } from "./make-image.ts";
import type { ImageChildMessage, ImageFailure, MakeMessage } from "./messages.ts";

Log.setLevel(AV_LOG_QUIET);
const input = new ByteQueue(process.stdin);
process.on("message", (message: MakeMessage) => void answer(message));
send({ type: "ready" });

async function answer({ request, bodyBytes }: MakeMessage): Promise<void> {
  const body = await input.take(bodyBytes);
  try {
    const { type, bytes } = await makeImage(request, body);
    send({ type: "made", contentType: type, bytes: bytes.length });
    process.stdout.write(bytes);
  } catch (error) {
    send({ type: "failed", ...failureOf(error) });
  }
}

function failureOf(error: unknown): ImageFailure {
  if (error instanceof JobError) return { code: error.code, message: error.message };
  const message = "The encoder failed on this picture.";
  return { code: "encoder_failed", message, unexpected: errorFields(error) };
}

function send(message: ImageChildMessage): void {
  process.send?.(message);
}
