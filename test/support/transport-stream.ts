/** Changes to an MPEG-TS, packet by packet. */

const PACKET_BYTES = 188;
/** ffmpeg's PIDs: the picture, then the sounds. */
const FIRST_PID = 0x100;

export const pidOfSound = (sound: number): number => FIRST_PID + 1 + sound;

/** @param keeps whether a packet stays; `share` is its place in the stream, 0 to 1 */
export function withPackets(stream: Buffer, keeps: (pid: number, share: number) => boolean): Buffer {
  const count = stream.length / PACKET_BYTES;
  const packets = Array.from({ length: count }, (_, n) => stream.subarray(n * PACKET_BYTES, (n + 1) * PACKET_BYTES));
  return Buffer.concat(packets.filter((packet, n) => keeps(packet.readUInt16BE(1) & 0x1fff, n / count)));
}
