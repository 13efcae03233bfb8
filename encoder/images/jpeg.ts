/** Decodes a JPEG: the thumbnail of a broadcast. */
import { Codec, CodecContext, Dictionary, Frame, Packet } from "node-av/lib";
import { AV_CODEC_ID_MJPEG } from "node-av/constants";
import { MAX_EDGE_PX } from "../../protocol/images.ts";
import { JobError } from "../platform/errors.ts";

/** @returns a frame of the caller's @throws {JobError} source_damaged */
export async function decodeJpeg(bytes: Buffer): Promise<Frame> {
  const codec = Codec.findDecoder(AV_CODEC_ID_MJPEG);
  using context = new CodecContext();
  context.allocContext3(codec);
  context.threadCount = 1;
  using options = Dictionary.fromObject({ max_pixels: MAX_EDGE_PX * MAX_EDGE_PX });
  using packet = new Packet();
  packet.alloc();
  packet.data = bytes;
  const opened = await context.open2(codec, options);
  const sent = opened < 0 ? opened : await context.sendPacket(packet);
  const frame = new Frame();
  frame.alloc();
  const received = sent < 0 ? sent : await context.receiveFrame(frame);
  if (received >= 0) return frame;
  frame.free();
  throw new JobError("source_damaged", `The picture could not be decoded (${received}).`);
}
