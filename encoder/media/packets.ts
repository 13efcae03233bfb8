/** Reads the packets of a source, and moves in it. */
import type { Packet, Stream } from "node-av/lib";
import {
  AV_PKT_DATA_ENCRYPTION_INFO,
  AVDISCARD_ALL,
  AVERROR_EOF,
  AVSEEK_FLAG_BACKWARD,
  AVSEEK_FLAG_BYTE,
} from "node-av/constants";
import { JobError } from "../platform/errors.ts";
import { byteBefore } from "./clock/read-clock.ts";
import { multiplexed, type OpenSource } from "./source.ts";

/** Lets the demuxer skip every other stream. */
export function keepOnly(source: OpenSource, ...kept: Stream[]): void {
  const indexes = new Set(kept.map(({ index }) => index));
  for (const stream of source.format.streams) if (!indexes.has(stream.index)) stream.discard = AVDISCARD_ALL;
}

/**
 * Reads the next packet. Its times go on where the clock of the source jumps.
 *
 * @returns false at the end of the file, which includes undecodable data
 * @throws the reader's error
 * @throws {JobError} source_encrypted: decoders make noise of ciphertext, and report no error
 */
export async function readPacket(source: OpenSource, packet: Packet): Promise<boolean> {
  source.isAtStart = false;
  const result = await source.format.readFrame(packet);
  if (source.reader.failure !== undefined) throw source.reader.failure;
  if (result === AVERROR_EOF || result < 0) return false;
  if (packet.getSideData(AV_PKT_DATA_ENCRYPTION_INFO) !== null)
    throw new JobError("source_encrypted", "The source is encrypted, and its keys are not known here.");
  source.packetClock?.apply(packet);
  return true;
}

/** Seeks to a packet of a stream at or before a time in file time; a key frame, if the demuxer knows them. False when it cannot seek. */
export async function seek(source: OpenSource, stream: Stream, seconds: number): Promise<boolean> {
  const { format, reader, clock } = source;
  source.isAtStart = false;
  const file = multiplexed(source, [stream]);
  if (clock !== null && file !== null) return await seekByte(source, await byteBefore(file, clock, seconds));
  const ticks = BigInt(Math.floor((seconds * stream.timeBase.den) / stream.timeBase.num));
  const result = await format.seekFrame(stream.index, ticks, AVSEEK_FLAG_BACKWARD);
  if (reader.failure !== undefined) throw reader.failure;
  return result >= 0;
}

/** Continues at a position in the file, which the demuxer of a transport or program stream can. */
export async function seekByte(source: OpenSource, byte: number): Promise<boolean> {
  const { format, reader, packetClock } = source;
  source.isAtStart = false;
  const result = await format.seekFrame(-1, BigInt(byte), AVSEEK_FLAG_BYTE);
  if (reader.failure !== undefined) throw reader.failure;
  packetClock?.moveTo(byte);
  return result >= 0;
}
