/** Serves one RTMP connection from its first byte to its end. */
import type { Socket } from "node:net";
import { log } from "../../../protocol/log.ts";
import type { IngestProtocol } from "../../../protocol/live.ts";
import { STEP } from "../../platform/connection-limit.ts";
import type { Admission, Reception } from "../reception/incoming.ts";
import { Amf0Error } from "./protocol/amf0.ts";
import { PublishProtocol } from "./publish-protocol.ts";
import { RtmpError } from "./protocol/rtmp-error.ts";

/** Time limit for the publish command. */
const PUBLISH_TIMEOUT_MS = 10_000;
/** The same after the end of a broadcast on this connection. Its key was accepted, and encoders keep it open while their user pauses. */
const NEXT_PUBLISH_TIMEOUT_MS = 60_000;
/** A publisher silent for this long is disconnected. The gateway's own timeout is shorter. */
const SILENCE_MS = 90_000;
/** Maximum answer bytes the peer has not read. All answers to a publishing encoder add up to less than 8 KiB. */
const MAX_UNREAD_BYTES = 256 << 10;
/** Time to flush pending output before the socket is destroyed. */
const CLOSE_TIMEOUT_MS = 1000;

const REFUSAL_TEXTS: Record<Extract<Admission, { accepted: false }>["reason"], string> = {
  unknown_key: "No stream has this key.",
  disabled: "The stream is disabled.",
  busy: "Somebody else broadcasts to this stream.",
  wrong_passphrase: "No stream has this key.",
  overloaded: "There is no room for another broadcast here. Try again.",
  unavailable: "The broadcast could not be checked. Try again.",
};

type Accepted = Extract<Admission, { accepted: true }>;

/** Reports a connection's progress to the connection limit (`connection-limit.ts`). */
export interface Progress {
  advance(step: (typeof STEP)["handshakeComplete" | "connected"]): void;
  awaitDecision(): void;
  prove(): void;
}

/** Never rejects. The socket is closed on return. */
export async function serveRtmp(
  socket: Socket,
  protocol: IngestProtocol,
  reception: Reception,
  progress: Progress,
): Promise<void> {
  const remote = remoteOf(socket);
  socket.on("error", () => {}); // the reader handles it
  const rtmp = new PublishProtocol((bytes) => writeBounded(socket, bytes));
  const chunks = socket.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, void>;
  try {
    for (let timeoutMs = PUBLISH_TIMEOUT_MS; ; timeoutMs = NEXT_PUBLISH_TIMEOUT_MS) {
      const streamKey = await readStreamKey(socket, chunks, rtmp, progress, timeoutMs);
      if (streamKey === null) return;
      progress.awaitDecision();
      const admission = await reception.admit({ protocol, streamKey, remote });
      if (!admission.accepted) return rtmp.refuse(REFUSAL_TEXTS[admission.reason]);
      progress.prove();
      await receive(socket, chunks, rtmp, admission);
      if (!rtmp.hasUnpublished) return;
      await new Promise((done) => setImmediate(done)); // the reception gets the end of the source before another publish
      rtmp.next();
    }
  } catch (error) {
    log("rtmp.dropped", { remote, how: describe(error) });
  } finally {
    closeGracefully(socket);
  }
}

/** Receives one broadcast. Returns when it is over, or when the publisher has ended it: its encoder may still have work then. */
async function receive(
  socket: Socket,
  chunks: AsyncIterator<Buffer, void>,
  rtmp: PublishProtocol,
  admission: Accepted,
): Promise<void> {
  const { streamId, sessionId } = admission;
  const unpublished = Promise.withResolvers<void>();
  let hasUnpublished = false;
  const onUnpublished = () => {
    hasUnpublished = true;
    log("rtmp.unpublished", { streamId, sessionId });
    unpublished.resolve();
  };
  rtmp.accept();
  const over = admission.take(flvOf(socket, chunks, rtmp, onUnpublished), (reason) => {
    if (hasUnpublished) return; // the connection may have another broadcast
    log("rtmp.hung_up", { streamId, sessionId, reason });
    rtmp.hangUp(reason);
    closeGracefully(socket);
  });
  await Promise.race([over, unpublished.promise]);
}

/** Closes the connection when the peer does not read its answers. */
function writeBounded(socket: Socket, bytes: Buffer): void {
  if (!socket.writable) return;
  socket.write(bytes);
  if (socket.writableLength <= MAX_UNREAD_BYTES) return;
  log("rtmp.dropped", { remote: remoteOf(socket), how: "answers are not read" });
  socket.destroy();
}

/** Reads until a publish command; null when the connection ends first. Nothing is read during admission. */
async function readStreamKey(
  socket: Socket,
  chunks: AsyncIterator<Buffer, void>,
  rtmp: PublishProtocol,
  progress: Progress,
  timeoutMs: number,
): Promise<string | null> {
  const deadline = setTimeout(() => socket.destroy(), timeoutMs);
  try {
    rtmp.readOn();
    while (rtmp.askedKey === null) {
      const chunk = await nextOf(chunks);
      if (chunk === null) return null;
      rtmp.read(chunk);
      if (rtmp.isConnected) progress.advance(STEP.connected);
      else if (rtmp.isHandshakeComplete) progress.advance(STEP.handshakeComplete);
    }
    return rtmp.askedKey;
  } finally {
    clearTimeout(deadline);
  }
}

/** Yields the published FLV until the broadcast ends or breaks off. The socket is read only as fast as the consumer reads. */
async function* flvOf(
  socket: Socket,
  chunks: AsyncIterator<Buffer, void>,
  rtmp: PublishProtocol,
  onUnpublished: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    rtmp.readOn();
    for (;;) {
      const flv = rtmp.takeFlv();
      if (flv !== null) yield flv;
      if (rtmp.hasUnpublished) onUnpublished();
      if (rtmp.isOver) return;
      const silence = setTimeout(() => socket.destroy(), SILENCE_MS);
      const chunk = await nextOf(chunks);
      clearTimeout(silence);
      if (chunk === null) return;
      rtmp.read(chunk);
    }
  } catch (error) {
    log("rtmp.broken", { remote: remoteOf(socket), how: describe(error) });
  }
}

/** A broken connection counts as closed. */
async function nextOf(chunks: AsyncIterator<Buffer, void>): Promise<Buffer | null> {
  const next = await chunks.next().catch(() => ({ done: true, value: undefined }) as const);
  return next.done === true ? null : next.value;
}

const remoteOf = (socket: Socket) => `${socket.remoteAddress}:${socket.remotePort}`;

/** Never includes peer input, which must not reach the log. */
const describe = (error: unknown) =>
  error instanceof RtmpError || error instanceof Amf0Error ? error.message : "malformed message";

function closeGracefully(socket: Socket): void {
  if (socket.destroyed) return;
  socket.end();
  setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS).unref();
}
