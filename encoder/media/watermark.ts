/** Reads a watermark and makes it fit each rung. */
import { Codec, CodecContext, Frame, Packet } from "node-av/lib";
import { AV_CODEC_ID_MJPEG, AV_CODEC_ID_PNG } from "node-av/constants";
import { MAX_MARK_BYTES, MAX_MARK_PIXELS, type VideoJob, type Watermark } from "../../protocol/jobs.ts";
import { type MarkPlace, placeMark } from "../../protocol/media/mark-place.ts";
import { JobError } from "../platform/errors.ts";
import type { JobContext } from "./job-context.ts";
import { PictureGraph } from "./picture-graph.ts";
import type { ColorMatrix } from "./scale-graph.ts";
import { montageFile } from "./source.ts";
import { SourceReader } from "./source-reader.ts";

/** The watermark of one rung: its samples at their size, and where they lie. */
export interface RungMark {
  frame: Frame;
  place: MarkPlace;
}

/** @returns one for each rung @throws {JobError} watermark_unusable */
export async function readMarks(
  job: VideoJob,
  watermark: Watermark,
  matrix: ColorMatrix,
  context: JobContext,
): Promise<RungMark[]> {
  const reader = await SourceReader.open(job, context, montageFile(watermark.file));
  if (reader.sizeBytes > MAX_MARK_BYTES) throw unusable("is larger than 10 MiB");
  using image = await decode(await reader.sample(0, reader.sizeBytes));
  const size = { widthPx: image.width, heightPx: image.height };
  const marks: RungMark[] = [];
  for (const rung of job.rungs) {
    const place = placeMark(watermark, size, job.video, rung);
    marks.push({ place, frame: await scaled(image, place, { matrix, opacity: watermark.opacity }) });
  }
  return marks;
}

const unusable = (what: string) => new JobError("watermark_unusable", `The image of the watermark ${what}.`);

const PNG = Buffer.from("89504e470d0a1a0a", "hex");
const JPEG = Buffer.from("ffd8ff", "hex");

/** Formats are told by their first bytes, and the size is known before anything is decoded. */
async function decode(bytes: Buffer): Promise<Frame> {
  const isPng = bytes.subarray(0, PNG.length).equals(PNG);
  if (!isPng && !bytes.subarray(0, JPEG.length).equals(JPEG)) throw unusable("is neither a PNG nor a JPEG");
  const pixels = isPng ? pngPixels(bytes) : jpegPixels(bytes);
  if (pixels === null || pixels === 0) throw unusable("is damaged");
  if (pixels > MAX_MARK_PIXELS) throw unusable("has more than 16 megapixels");
  const decoder = new CodecContext();
  decoder.allocContext3(Codec.findDecoder(isPng ? AV_CODEC_ID_PNG : AV_CODEC_ID_MJPEG));
  const frame = new Frame();
  frame.alloc();
  using packet = new Packet();
  packet.alloc();
  packet.data = bytes;
  try {
    if ((await decoder.open2(null)) < 0) throw unusable("cannot be decoded");
    await decoder.sendPacket(packet);
    await decoder.sendPacket(null);
    if ((await decoder.receiveFrame(frame)) < 0) throw unusable("is damaged");
    return frame;
  } catch (error) {
    frame.free();
    throw error;
  } finally {
    decoder.freeContext();
  }
}

/** Of the header chunk, which is the first one (ISO/IEC 15948 §11.2.2). */
const pngPixels = (bytes: Buffer): number | null =>
  bytes.length < 24 || bytes.toString("latin1", 12, 16) !== "IHDR"
    ? null
    : bytes.readUInt32BE(16) * bytes.readUInt32BE(20);

/** Of the first frame header (ITU-T T.81 §B.2.2). */
function jpegPixels(bytes: Buffer): number | null {
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1]!;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return bytes.readUInt16BE(at + 5) * bytes.readUInt16BE(at + 7);
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

async function scaled(
  image: Frame,
  { widthPx, heightPx }: MarkPlace,
  { matrix, opacity }: { matrix: ColorMatrix; opacity: number },
): Promise<Frame> {
  const colors = `out_color_matrix=${matrix === 1 ? "bt709" : "smpte170m"}:out_range=tv`;
  const description = `[in]format=rgba,colorchannelmixer=aa=${opacity},scale=${widthPx}:${heightPx}:flags=area:${colors},format=yuva420p[out0]`;
  const graph = await PictureGraph.open(description, 1, image, { num: 1, den: 1_000_000 });
  try {
    image.pts = 0n;
    graph.put(image);
    graph.put(null);
    const frame = await graph.take(0);
    if (frame === null) throw new JobError("encoder_failed", "The watermark could not be scaled.");
    frame.pts = 0n;
    return frame;
  } finally {
    graph.close();
  }
}
