/** The first two datagrams of an SRT caller, as libsrt 1.5 sends them, and a socket that sends them. */
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";

export const HANDSHAKE_TYPE_AT = 36;

const words = (hex: string) => Buffer.from(hex.replaceAll(/\s/g, ""), "hex");
export const INDUCTION = words(`80000000 00000000 00000119 00000000
  00000004 00000002 01357b95 000005dc 00002000 00000001 31e4eb15 00000000 0100007f 00000000 00000000 00000000`);
/** For the stream "key", without encryption. */
export const CONCLUSION_WITHOUT_COOKIE = words(`80000000 00000000 000041ea 00000000
  00000005 00000005 01357b95 000005dc 00002000 ffffffff 31e4eb15 deadbeef 0100007f 00000000 00000000 00000000
  00010003 00010501 000000bf 00780000 00050001 0079656b`);
/** An extension with key material that no passphrase unwraps. */
export const KEY_MATERIAL = words("00030001 00000000");

export async function openCaller(port: number): Promise<{ socket: Socket; heard: Buffer[] }> {
  const socket = createSocket("udp4");
  const heard: Buffer[] = [];
  socket.on("message", (datagram: Buffer) => void heard.push(datagram));
  socket.connect(port, "127.0.0.1");
  await once(socket, "connect");
  return { socket, heard };
}

/** @param inductionAnswer brings the cookie */
export function withCookieOf(inductionAnswer: Buffer, conclusion: Buffer): Buffer {
  const datagram = Buffer.from(conclusion);
  inductionAnswer.copy(datagram, 44, 44, 48);
  return datagram;
}
