/**
 * Parses and builds the datagrams of an SRT handshake (draft-sharabayko-srt §3.2.1, §4.3). Pure. Words are big-endian.
 * The caller sends an induction and gets a cookie; its conclusion returns the cookie, with extensions.
 */
import { streamKeyIn, withoutSuffix } from "../reception/stream-key.ts";

const ACCESS_CONTROL = "#!::";
const HEADER_BYTES = 16;
const HANDSHAKE_BYTES = HEADER_BYTES + 48;
const CONTROL = 0x8000; // F=1; the type in the lower bits: 0 is a handshake
const SHUTDOWN = 0x8005;
const INDUCTION = 1;
const CONCLUSION = 0xffffffff;
const SRT_MAGIC = 0x4a17;
const CALLER_VERSION = 4; // of an induction, for compatibility with old listeners
const CALLER_EXTENSION = 2;
export const VERSION = 5;
const EXTENSION = { response: 2, keyMaterial: 3, streamId: 5 } as const;
/** Field offsets in a datagram. */
const AT = {
  timestamp: 8,
  destination: 12,
  version: 16,
  encryption: 20,
  extension: 22,
  type: 36,
  socket: 40,
  cookie: 44,
};

/**
 * libsrt's rejection codes: below 1000 for libsrt's own reasons, from 1400 on for HTTP-like statuses
 * (https://github.com/Haivision/srt/blob/master/docs/API/rejection-codes.md). Callers display them.
 */
export const REJECT = {
  resource: 3,
  version: 8,
  badSecret: 10,
  unsecure: 11,
  badRequest: 1400,
  overload: 1402,
  forbidden: 1403,
  notFound: 1404,
  badMode: 1405,
  conflict: 1409,
  internal: 1500,
  down: 1503,
} as const;
export type Rejection = (typeof REJECT)[keyof typeof REJECT];

export interface Handshake {
  step: "induction" | "conclusion";
  version: number;
  /** ID of the sender's socket. */
  socketId: number;
  cookie: number;
  streamId: string | null;
  /** Wrapped encryption keys (§3.2.2); null = the caller does not encrypt. */
  keyMaterial: Buffer | null;
}

/** Destination socket ID; 0 addresses the listener. Datagrams of an established connection carry their receiver's ID. */
export const destinationOf = (datagram: Buffer): number => datagram.readUInt32BE(AT.destination);

/** The sender closes the connection; media it sent may still be in the latency buffer. */
export const isShutdown = (datagram: Buffer): boolean => datagram.readUInt16BE(0) === SHUTDOWN;

/** A datagram shorter than a header is not SRT. */
export const isDatagram = (datagram: Buffer): boolean => datagram.length >= HEADER_BYTES;

/** @returns null for other or malformed datagrams */
export function readHandshake(datagram: Buffer): Handshake | null {
  if (datagram.length < HANDSHAKE_BYTES || datagram.readUInt16BE(0) !== CONTROL) return null;
  const type = datagram.readUInt32BE(AT.type);
  if (type !== INDUCTION && type !== CONCLUSION) return null;
  const extensions = readExtensions(datagram);
  const streamId = extensions?.get(EXTENSION.streamId);
  return (
    extensions && {
      step: type === INDUCTION ? "induction" : "conclusion",
      version: datagram.readUInt32BE(AT.version),
      socketId: datagram.readUInt32BE(AT.socket),
      cookie: datagram.readUInt32BE(AT.cookie),
      streamId: streamId === undefined ? null : textOf(streamId),
      keyMaterial: extensions.get(EXTENSION.keyMaterial) ?? null,
    }
  );
}

/** @returns null when an extension exceeds the datagram */
function readExtensions(datagram: Buffer): Map<number, Buffer> | null {
  const found = new Map<number, Buffer>();
  for (let at = HANDSHAKE_BYTES; at + 4 <= datagram.length;) {
    const end = at + 4 + datagram.readUInt16BE(at + 2) * 4;
    if (end > datagram.length) return null;
    found.set(datagram.readUInt16BE(at), datagram.subarray(at + 4, end));
    at = end;
  }
  return found;
}

/** Receiver latency announced in the listener's answer to a conclusion, in milliseconds (§3.2.1.1). */
export function latencyMs(answer: Buffer): number {
  const response = readExtensions(answer)?.get(EXTENSION.response);
  return response === undefined || response.length < 12 ? 0 : response.readUInt16BE(8);
}

/** The bytes of each word are in reverse order; the last word is zero-padded (§3.2.1.3). */
function textOf(words: Buffer): string {
  return Buffer.from(words).swap32().toString("utf8").replace(/\0+$/, "");
}

/**
 * The stream key in a stream ID: the ID itself, or a field of access control syntax, where only mode `publish` is supported. The key is in `r`,
 * the resource; in `u`, the user, when `r` names no key. Blackmagic Design's encoders send the latter, between fields of their own.
 */
export function streamKeyOf(received: string): { key: string } | "bad_mode" | "no_key" {
  const streamId = unescaped(received);
  if (!streamId.startsWith(ACCESS_CONTROL)) return keyed(streamKeyIn(streamId));
  const fields = new Map<string, string>();
  for (const field of streamId.slice(ACCESS_CONTROL.length).split(",")) {
    const equals = field.indexOf("=");
    if (equals > 0) fields.set(field.slice(0, equals).trim(), field.slice(equals + 1));
  }
  // The default mode is "request" (https://github.com/Haivision/srt/blob/master/docs/features/access-control.md), but encoders omit the mode when publishing.
  if (withoutSuffix(fields.get("m") ?? "publish").trim() !== "publish") return "bad_mode";
  return keyed(streamKeyIn(fields.get("r") ?? "") || streamKeyIn(fields.get("u") ?? ""));
}

/** Some callers send the ID as it is escaped in their URL. */
function unescaped(streamId: string): string {
  if (!streamId.toLowerCase().startsWith("%23!")) return streamId;
  try {
    return decodeURIComponent(streamId);
  } catch {
    return streamId;
  }
}

const keyed = (key: string): { key: string } | "no_key" => (key === "" ? "no_key" : { key });

/** Answers an induction with the cookie that the conclusion must return. */
export function answerInduction(induction: Buffer, cookie: number): Buffer {
  const answer = replyTo(induction);
  answer.writeUInt32BE(VERSION, AT.version);
  answer.writeUInt16BE(0, AT.encryption);
  answer.writeUInt16BE(SRT_MAGIC, AT.extension);
  answer.writeUInt32BE(cookie, AT.cookie);
  return answer;
}

export function answerRefusal(conclusion: Buffer, code: Rejection): Buffer {
  const answer = replyTo(conclusion);
  answer.writeUInt16BE(0, AT.extension);
  answer.writeUInt32BE(1000 + code, AT.type);
  return answer;
}

/** Rebuilds the induction that preceded a conclusion. */
export function inductionOf(conclusion: Buffer): Buffer {
  const induction = Buffer.from(conclusion.subarray(0, HANDSHAKE_BYTES));
  induction.writeUInt32BE(CALLER_VERSION, AT.version);
  induction.writeUInt16BE(0, AT.encryption);
  induction.writeUInt16BE(CALLER_EXTENSION, AT.extension);
  induction.writeUInt32BE(INDUCTION, AT.type);
  induction.writeUInt32BE(0, AT.cookie);
  return induction;
}

/** Replaces the cookie by another listener's. Receivers time media by the conclusion's timestamp, so the time it waited is added. */
export function forwarded(conclusion: Buffer, cookie: number, waitedMicroseconds: number): Buffer {
  const copy = Buffer.from(conclusion);
  copy.writeUInt32BE((copy.readUInt32BE(AT.timestamp) + Math.round(waitedMicroseconds)) % 2 ** 32, AT.timestamp);
  copy.writeUInt32BE(cookie, AT.cookie);
  return copy;
}

/** Builds a shutdown datagram for a peer. */
export function shutdownOf(socketId: number): Buffer {
  const datagram = Buffer.alloc(HEADER_BYTES + 4);
  datagram.writeUInt16BE(SHUTDOWN, 0);
  datagram.writeUInt32BE(socketId, AT.destination);
  return datagram;
}

function replyTo(handshake: Buffer): Buffer {
  const answer = Buffer.from(handshake.subarray(0, HANDSHAKE_BYTES));
  answer.writeUInt32BE(answer.readUInt32BE(AT.socket), AT.destination);
  return answer;
}
