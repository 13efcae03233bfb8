/**
 * `node libav-broadcaster.ts FORMAT URL < media`: libav 8 as a broadcaster, in a separate process. Unlike Debian's ffmpeg it supports enhanced
 * RTMP.
 */
import { buffer } from "node:stream/consumers";
import { Log } from "node-av/lib";
import { Demuxer, Muxer } from "node-av/api";
import { AV_LOG_ERROR } from "node-av/constants";

Log.setLevel(AV_LOG_ERROR);
const [format, url] = process.argv.slice(2) as [string, string];
const input = await Demuxer.open(await buffer(process.stdin));
const output = await Muxer.open(url, { format });
const streams = new Map(input.streams.map((stream) => [stream.index, output.addStream(stream)]));
for await (const packet of input.packets()) {
  if (packet === null) break;
  await output.writePacket(packet, streams.get(packet.streamIndex)!);
  packet.free();
}
await output.close();
process.exit(0); // which closes the connection too
