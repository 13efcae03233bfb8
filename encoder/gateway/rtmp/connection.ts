/** One RTMP connection, from its first byte to its end. */
import type { Socket } from "node:net";
import { log } from "../../../protocol/log.ts";
import type { IngestProtocol } from "../../../protocol/live.ts";
import { STEP } from "../../connection-limit.ts";
import type { Admission, Reception } from "../incoming.ts";
import { Amf0Error } from "./amf0.ts";
import { PublishProtocol, RtmpError } from "./publish-protocol.ts";

/** Until it has asked to publish. */
const ASK_WITHIN_MS = 10_000;
/** A publisher that sends nothing for this long is gone, even if the connection is still open. The gateway's own timeout is shorter. */
const SILENCE_MS = 90_000;
/** Answers that the peer has not read. All answers to an encoder that publishes have less than 8 KiB together. */
const MAX_UNREAD_BYTES = 256 << 10;
/** What a connection that is being ended has for its last words. */
const LAST_WORDS_MS = 1000;

const WORDS: Record<Extract<Admission, { accepted: false }>["reason"], string> = {
  unknown_key: "No stream has this key.",
  disabled: "The stream is disabled.",
  busy: "Somebody else broadcasts to this stream.",
  wrong_passphrase: "No stream has this key.",
  overloaded: "There is no room for another broadcast here. Try again.",
  unavailable: "The broadcast could not be checked. Try again.",
};

/** What a connection reports to the limit that counts it (`connection-limit.ts`). */
export interface Progress {
  advance(step: (typeof STEP)["handshakeComplete" | "connected"]): void;
  awaitDecision(): void;
  prove(): void;
}

/** Never rejects; the socket is closed at its end. */
export async function serveRtmp(
  socket: Socket,
  protocol: IngestProtocol,
  reception: Reception,
  progress: Progress,
): Promise<void> {
  const remote = remoteOf(socket);
  socket.on("error", () => {}); // its reader hears of it
  const rtmp = new PublishProtocol((bytes) => writeBounded(socket, bytes));
  const chunks = socket.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, void>;
  try {
    const streamKey = await wantedKey(socket, chunks, rtmp, progress);
    if (streamKey === null) return;
    progress.awaitDecision();
    const admission = await reception.admit({ protocol, streamKey, remote });
    if (admission.accepted) {
      progress.prove();
      rtmp.accept();
      const hangUp = (reason: string) => {
        log("rtmp.hung_up", { streamId: admission.streamId, sessionId: admission.sessionId, reason });
        rtmp.hangUp(reason);
        letGo(socket);
      };
      await admission.take(flvOf(socket, chunks, rtmp), hangUp);
    } else {
      rtmp.refuse(WORDS[admission.reason]);
    }
  } catch (error) {
    log("rtmp.dropped", { remote, how: wordsOf(error) });
  } finally {
    letGo(socket);
  }
}

/** Closes a connection whose peer does not read what it asked for. */
function writeBounded(socket: Socket, bytes: Buffer): void {
  if (!socket.writable) return;
  socket.write(bytes);
  if (socket.writableLength <= MAX_UNREAD_BYTES) return;
  log("rtmp.dropped", { remote: remoteOf(socket), how: "answers are not read" });
  socket.destroy();
}

/** Reads until a publish is asked for; null when the connection ends before. Nothing is read while it is decided upon. */
async function wantedKey(
  socket: Socket,
  chunks: AsyncIterator<Buffer, void>,
  rtmp: PublishProtocol,
  progress: Progress,
): Promise<string | null> {
  const deadline = setTimeout(() => socket.destroy(), ASK_WITHIN_MS);
  try {
    while (rtmp.streamKey === null) {
      const chunk = await nextOf(chunks);
      if (chunk === null) return null;
      rtmp.read(chunk);
      if (rtmp.isConnected) progress.advance(STEP.connected);
      else if (rtmp.isHandshakeComplete) progress.advance(STEP.handshakeComplete);
    }
    return rtmp.streamKey;
  } finally {
    clearTimeout(deadline);
  }
}

/** What is published, from its first byte to its end, however that comes: the socket is read as fast as this is. */
async function* flvOf(
  socket: Socket,
  chunks: AsyncIterator<Buffer, void>,
  rtmp: PublishProtocol,
): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      if (rtmp.flvTags.length > 0) yield Buffer.concat(rtmp.flvTags.splice(0));
      if (rtmp.isOver) return;
      const silence = setTimeout(() => socket.destroy(), SILENCE_MS);
      const chunk = await nextOf(chunks);
      clearTimeout(silence);
      if (chunk === null) return;
      rtmp.read(chunk);
    }
  } catch (error) {
    log("rtmp.broken", { remote: remoteOf(socket), how: wordsOf(error) });
  }
}

/** A connection that breaks ends, as one that is closed does. */
async function nextOf(chunks: AsyncIterator<Buffer, void>): Promise<Buffer | null> {
  const next = await chunks.next().catch(() => ({ done: true, value: undefined }) as const);
  return next.done === true ? null : next.value;
}

const remoteOf = (socket: Socket) => `${socket.remoteAddress}:${socket.remotePort}`;

/** What strangers send is not repeated in the log. */
const wordsOf = (error: unknown) =>
  error instanceof RtmpError || error instanceof Amf0Error ? error.message : "malformed message";

function letGo(socket: Socket): void {
  if (socket.destroyed) return;
  socket.end();
  setTimeout(() => socket.destroy(), LAST_WORDS_MS).unref();
}
