/** Makes what a request asks for. Runs in a child process. */
import type { Frame } from "node-av/lib";
import { type ImageRequest, IMAGE_TYPES, type PictureRequest, type StillRequest } from "../../protocol/images.ts";
import { JobError } from "../platform/errors.ts";
import { makeClip } from "./clip.ts";
import { forWantedFrames } from "./frames.ts";
import { decodeJpeg } from "./jpeg.ts";
import { choosePoster } from "./poster.ts";
import { makeSheet } from "./sheet.ts";
import { transformed } from "./transform.ts";

export interface Made {
  type: string;
  bytes: Buffer;
}

/** @throws {JobError} source_damaged, encoder_failed */
export async function makeImage(request: ImageRequest, body: Buffer): Promise<Made> {
  switch (request.kind) {
    case "still":
      return { type: IMAGE_TYPES[request.format], bytes: await makeStill(request, body) };
    case "picture":
      return { type: IMAGE_TYPES[request.format], bytes: await changePicture(request, body) };
    case "sheet":
      return { type: IMAGE_TYPES.jpg, bytes: await makeSheet(request, body) };
    case "clip":
      return { type: IMAGE_TYPES[request.format], bytes: await makeClip(request, body) };
    case "poster":
      return { type: "application/json", bytes: Buffer.from(JSON.stringify(await choosePoster(request, body))) };
  }
}

async function makeStill(request: StillRequest, body: Buffer): Promise<Buffer> {
  let made: Buffer | null = null;
  await forWantedFrames(request, body, async (frame: Frame) => {
    made ??= await transformed(frame, request.transform, request.format);
  });
  if (made === null) throw new JobError("source_damaged", "No frame is wanted.");
  return made;
}

async function changePicture({ transform, format }: PictureRequest, body: Buffer): Promise<Buffer> {
  using frame = await decodeJpeg(body);
  return await transformed(frame, transform, format);
}
