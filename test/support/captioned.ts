/** A broadcast whose picture carries captions, as an encoder with an inserter of captions makes it. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { AV_FRAME_DATA_A53_CC, AV_PICTURE_TYPE_NONE, FF_ENCODER_LIBX264 } from "node-av/constants";
import { Decoder, Demuxer, Encoder, FilterAPI, Muxer } from "node-av/api";
import { FRIDAY } from "./ffmpeg-words.ts";

const [WIDTH_PX, HEIGHT_PX, RATE] = [640, 96, 30];

/**
 * @param captions triplets of `cc_data` by picture
 * @param bFrames between two reference pictures: the pictures are sent in another order than they are shown
 */
export async function captionedBroadcast(
  format: "flv" | "mpegts",
  pictures: number,
  captions: ReadonlyMap<number, number[][]>,
  bFrames = 0,
): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-captions-"));
  const path = join(folder, `broadcast.${format}`);
  try {
    await encode(path, format, pictures, captions, bFrames);
    return await readFile(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function encode(
  path: string,
  format: string,
  pictures: number,
  captions: ReadonlyMap<number, number[][]>,
  bFrames: number,
): Promise<void> {
  await using input = await Demuxer.open(FRIDAY);
  const stream = input.video()!;
  using decoder = await Decoder.create(stream);
  using filter = FilterAPI.create(`fps=${RATE},crop=${WIDTH_PX}:${HEIGHT_PX},setsar=1,format=yuv420p`);
  using encoder = await Encoder.create(FF_ENCODER_LIBX264, {
    gopSize: RATE,
    maxBFrames: bFrames,
    options: { preset: "ultrafast", "x264-params": `keyint=${RATE}:scenecut=0:bframes=${bFrames}:b-adapt=0:threads=1` },
  });
  await using output = await Muxer.open(path, { format });
  const index = output.addStream(encoder);
  let number = 0;
  for await (using frame of filter.frames(decoder.frames(input.packets(stream.index)))) {
    if (frame === null || number === pictures) break;
    frame.pts = BigInt(number);
    frame.pictType = AV_PICTURE_TYPE_NONE;
    frame.removeSideData(AV_FRAME_DATA_A53_CC);
    const words = Buffer.from((captions.get(number) ?? []).flat());
    if (words.length > 0) words.copy(frame.newSideData(AV_FRAME_DATA_A53_CC, words.length));
    for (const packet of await encoder.encodeAll(frame)) {
      await output.writePacket(packet, index);
      packet.free();
    }
    number += 1;
  }
  for (const packet of await encoder.encodeAll(null)) {
    await output.writePacket(packet, index);
    packet.free();
  }
}
