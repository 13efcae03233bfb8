/** Connects a caller to its own libsrt listener (`child.ts`): relays datagrams in both directions and provides the stream's bytes. */
import type { ChildProcess } from "node:child_process";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startMediaProcess } from "../../platform/media-process.ts";
import type { SrtPlan } from "./child.ts";
import { sendOrLog } from "./datagrams.ts";
import { forwarded, inductionOf, readHandshake } from "./handshake.ts";

const CHILD_PATH = fileURLToPath(new URL("./child.ts", import.meta.url));
/** Retry interval while the child is not listening yet. */
const RETRY_MS = 25;
const HEAP_MIB = 128;

/** Started before it is needed. The only secret it receives is the caller's passphrase. @throws {ProcessNotStarted} */
export const startSrtChild = (): ChildProcess =>
  startMediaProcess(CHILD_PATH, { stdio: ["ignore", "pipe", "pipe", "ipc"], heapMiB: HEAP_MIB });

export class SrtReceiver {
  /** Receives datagrams for the caller. */
  onDatagram: (datagram: Buffer) => void = () => {};
  readonly #child: ChildProcess;
  readonly #socket: Socket;

  private constructor(child: ChildProcess, socket: Socket) {
    this.#child = child;
    this.#socket = socket;
    socket.on("error", () => {}); // the child is not listening yet, or has exited
    child.once("close", () => socket.close());
  }

  /** Takes ownership of the child even on failure. @throws {Error} when the system has no free port or descriptor */
  static async start(child: ChildProcess, passphrase: string): Promise<SrtReceiver> {
    try {
      return await SrtReceiver.#start(child, passphrase);
    } catch (error) {
      child.kill("SIGKILL");
      throw error;
    }
  }

  static async #start(child: ChildProcess, passphrase: string): Promise<SrtReceiver> {
    const port = await freePort();
    child.send({ port, passphrase } satisfies SrtPlan, () => {});
    const socket = createSocket("udp4");
    socket.connect(port, "127.0.0.1");
    await once(socket, "connect");
    return new SrtReceiver(child, socket);
  }

  /**
   * Repeats the handshake with the child's listener.
   *
   * @returns the listener's answer to the conclusion; null when the child exited first
   */
  async connect(conclusion: Buffer, receivedAtMs: number): Promise<Buffer | null> {
    const answer = Promise.withResolvers<Buffer | null>();
    let next = inductionOf(conclusion);
    const handle = (datagram: Buffer) => {
      const received = readHandshake(datagram);
      if (received?.step === "induction") {
        next = forwarded(conclusion, received.cookie, (performance.now() - receivedAtMs) * 1000);
        this.send(next);
      } else answer.resolve(datagram);
    };
    this.#socket.on("message", handle);
    this.#child.once("close", () => answer.resolve(null));
    const retry = setInterval(() => this.send(next), RETRY_MS);
    this.send(next);
    const answered = await answer.promise;
    clearInterval(retry);
    this.#socket.off("message", handle);
    this.#socket.on("message", (datagram: Buffer) => this.onDatagram(datagram));
    return answered;
  }

  send(datagram: Buffer): void {
    sendOrLog("to the receiver", () => this.#socket.send(datagram));
  }

  /** Yields MPEG-TS until the connection ends. */
  async *bytes(): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#child.stdout! as AsyncIterable<Buffer>;
    } catch {
      // a broken pipe counts as the end
    }
  }

  /** Resolves when the caller has shut down, or has been silent for five seconds (libsrt's SRTO_PEERIDLETIMEO). */
  get over(): Promise<void> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) return Promise.resolve();
    return once(this.#child, "exit").then(() => {});
  }

  end(): void {
    this.#child.kill("SIGKILL");
  }
}

/** libav's listener needs a fixed port. If another process takes it first, the caller reconnects. */
async function freePort(): Promise<number> {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address();
  socket.close();
  await once(socket, "close");
  return port;
}
