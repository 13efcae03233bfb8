import { soundFrames, type SoundCut } from "../../../media/clips/clip-range.ts";
import { segmentTimes } from "../../../media/clips/segment-times.ts";
import { cutSound } from "../../../media/clips/cut-sound.ts";
import { AAC_FRAME_SAMPLES } from "../../../media/mp4/aac.ts";
import type { Rendition } from "../../../media/manifest/model.ts";
import type { Env } from "../../../platform/env.ts";
import { renditionKey } from "../../../platform/storage/keys.ts";
import type { OwnSegment } from "../../encoding/assemble-clip.ts";
import type { ClipCut } from "../../encoding/clip-cut.ts";

/** The own segments of one sound of a clip. */
export interface CutSound {
  /** The owner's rendition, and the clip's. */
  ownerName: string;
  name: string;
  head: OwnSegment | null;
  tail: OwnSegment | null;
}

/** Cuts the first and the last segment of a sound at AAC frames, without encoding. Repeatable. */
export async function cutSounds(
  env: Env,
  clipId: string,
  { ownerName, name }: Pick<CutSound, "ownerName" | "name">,
  row: Rendition,
  cut: ClipCut,
): Promise<CutSound> {
  const part = async (segment: number) => await cutOne(env, { clipId, name, ownerName }, row, cut, segment);
  return {
    ownerName,
    name,
    head: cut.hasHead ? await part(cut.firstSegment) : null,
    tail: cut.hasTail ? await part(cut.endSegment - 1) : null,
  };
}

async function cutOne(
  env: Env,
  { clipId, name, ownerName }: { clipId: string; name: string; ownerName: string },
  row: Rendition,
  { source: { ownerId }, mediaStartMs, mediaEndMs, firstSegment, endSegment }: ClipCut,
  segment: number,
): Promise<OwnSegment> {
  const { timescale } = row;
  const { mediaTicks: startTicks, durationTicks: length, isGap } = segmentTimes(row)[segment]!;
  const whole: SoundCut = { startTicks, endTicks: startTicks + length };
  const times = {
    startSeconds: segment === firstSegment ? mediaStartMs / 1000 : -Infinity,
    endSeconds: segment === endSegment - 1 ? mediaEndMs / 1000 : Infinity,
  };
  const wanted = soundFrames(whole, times, { timescale, frameTicks: AAC_FRAME_SAMPLES });
  const wantedTicks = wanted.endTicks - wanted.startTicks;
  if (isGap) return { durationTicks: wantedTicks, bytes: 0, keyframes: [], startTicks: wanted.startTicks };
  const object = await env.MEDIA.get(renditionKey(ownerId, ownerName, `${segment}.m4s`));
  if (object === null) throw new Error(`no segment ${segment} of ${ownerName} to cut`);
  const made = cutSound(new Uint8Array(await object.arrayBuffer()), wanted);
  if (made === null) throw new Error(`segment ${segment} of ${ownerName} has no sound to cut`);
  await env.MEDIA.put(renditionKey(clipId, name, `${segment - firstSegment}.m4s`), made.bytes);
  const { bytes, durationTicks } = made;
  return { durationTicks, bytes: bytes.length, keyframes: [], startTicks: made.startTicks };
}
