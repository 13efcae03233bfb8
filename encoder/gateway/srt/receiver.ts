/** A caller's own libsrt listener (`child.ts`), and the way to it: datagrams in and out, its stream's bytes. */
import type { ChildProcess } from "node:child_process";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startMediaProcess } from "../../media-process.ts";
import type { SrtPlan } from "./child.ts";
import { forwarded, inductionOf, readHandshake } from "./handshake.ts";

const CHILD_PATH = fileURLToPath(new URL("./child.ts", import.meta.url));
/** Between two tries while the child is not listening yet. */
const RETRY_MS = 25;
const HEAP_MIB = 128;

/** It loads before it is needed. No secret but its caller's passphrase gets into it. @throws {ProcessNotStarted} */
export const startSrtChild = (): ChildProcess =>
  startMediaProcess(CHILD_PATH, { stdio: ["ignore", "pipe", "ignore", "ipc"], heapMiB: HEAP_MIB });

export class SrtReceiver {
  /** What is to be sent to the caller. */
  onDatagram: (datagram: Buffer) => void = () => {};
  readonly #child: ChildProcess;
  readonly #socket: Socket;

  private constructor(child: ChildProcess, socket: Socket) {
    this.#child = child;
    this.#socket = socket;
    socket.on("error", () => {}); // nobody listens there yet, or any more
    child.once("close", () => socket.close());
  }

  /** Takes the child over, also when it fails. @throws {Error} when the system has no port or descriptor left */
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
   * Holds the handshake again, with the listener that has not heard of it.
   *
   * @returns its answer to the conclusion; null when it has ended before
   */
  async shakeHands(conclusion: Buffer, receivedAtMs: number): Promise<Buffer | null> {
    const answer = Promise.withResolvers<Buffer | null>();
    let next = inductionOf(conclusion);
    const hear = (datagram: Buffer) => {
      const heard = readHandshake(datagram);
      if (heard?.step === "induction") {
        next = forwarded(conclusion, heard.cookie, (performance.now() - receivedAtMs) * 1000);
        this.send(next);
      } else answer.resolve(datagram);
    };
    this.#socket.on("message", hear);
    this.#child.once("close", () => answer.resolve(null));
    const retry = setInterval(() => this.send(next), RETRY_MS);
    this.send(next);
    const answered = await answer.promise;
    clearInterval(retry);
    this.#socket.off("message", hear);
    this.#socket.on("message", (datagram: Buffer) => this.onDatagram(datagram));
    return answered;
  }

  send(datagram: Buffer): void {
    try {
      this.#socket.send(datagram);
    } catch {
      // closed: the child has ended
    }
  }

  /** MPEG-TS, to the end of the connection. */
  async *bytes(): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#child.stdout! as AsyncIterable<Buffer>;
    } catch {
      // a pipe that breaks ends
    }
  }

  /** Resolves when the caller is gone: it said so, or has been silent for five seconds (libsrt's SRTO_PEERIDLETIMEO). */
  get over(): Promise<void> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) return Promise.resolve();
    return once(this.#child, "exit").then(() => {});
  }

  end(): void {
    this.#child.kill("SIGKILL");
  }
}

/** libav's listener has to be told its port. Should somebody take it in between, the caller calls again. */
async function freePort(): Promise<number> {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address();
  socket.close();
  await once(socket, "close");
  return port;
}
