/** Makes animations from a stretch of video: GIF with a palette of its own, and WebP. */
import type { Frame } from "node-av/lib";
import { type ClipRequest, MAX_CLIP_SECONDS } from "../../protocol/images.ts";
import { PictureGraph } from "../media/picture-graph.ts";
import { JobError } from "../platform/errors.ts";
import { Animation, animationFilterOf } from "./animation.ts";
import { allFrames } from "./frames.ts";

/** @throws {JobError} source_damaged, encoder_failed */
export async function makeClip(request: ClipRequest, body: Buffer): Promise<Buffer> {
  const { format, framesPerSecond, size } = request;
  const scale = `scale=${size.widthPx}:${size.heightPx}:flags=bicubic,setsar=1`;
  const description = `[in]${scale},${animationFilterOf(format)}[out0]`;
  const animation = new Animation(format, framesPerSecond);
  let graph: PictureGraph | null = null;
  try {
    for await (const { frame, position } of paced(request, body)) {
      graph ??= await PictureGraph.open(description, 1, frame, { num: 1, den: framesPerSecond });
      frame.pts = BigInt(position);
      graph.put(frame);
      await drain(graph, animation);
    }
    if (graph === null) throw new JobError("source_damaged", "The clip has no frames.");
    graph.put(null);
    await drain(graph, animation);
    return await animation.end();
  } finally {
    graph?.close();
    animation.close();
  }
}

async function drain(graph: PictureGraph, animation: Animation): Promise<void> {
  for (let picture = await graph.take(0); picture !== null; picture = await graph.take(0)) {
    await animation.add(picture);
    picture.free();
  }
}

/** The frames of the animation: each shows the last frame of the video that is not after its time. The frames stay the generator's. */
async function* paced(request: ClipRequest, body: Buffer): AsyncGenerator<{ frame: Frame; position: number }> {
  const { framesPerSecond, startSeconds, endSeconds } = request;
  const seconds = Math.min(MAX_CLIP_SECONDS, endSeconds - startSeconds);
  const count = Math.max(1, Math.round(seconds * framesPerSecond));
  const dueSeconds = (position: number) => startSeconds + position / framesPerSecond + 0.0005;
  let shown: Frame | null = null;
  let position = 0;
  for await (const { frame, seconds: at } of allFrames(request, body)) {
    if (shown !== null) {
      for (; position < count && dueSeconds(position) < at; position++) yield { frame: shown, position };
      shown.free();
    }
    shown = frame;
  }
  if (shown === null) return;
  for (; position < count; position++) yield { frame: shown, position };
  shown.free();
}
