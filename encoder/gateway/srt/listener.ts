/**
 * SRT listener for many broadcasts on one UDP port, distinguished by the stream ID of their handshake. libav's listener accepts one caller
 * per socket and does not expose the stream ID, so this listener acts as a proxy. It answers inductions, keeps no state for a caller until
 * the cookie is returned, decides on the conclusion, and then relays datagrams unchanged to a libsrt listener per caller (`receiver.ts`).
 */
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import { errorFields } from "../../../protocol/error-fields.ts";
import { log, logError, logWarning } from "../../../protocol/log.ts";
import { SpareProcess } from "../../platform/spare-process.ts";
import type { Listener, Reception } from "../reception/incoming.ts";
import { Cookies } from "./cookie.ts";
import { sendOrLog } from "./datagrams.ts";
import { DecisionSlots } from "./decision-slots.ts";
import { decide, type Decision } from "./decide.ts";
import {
  answerInduction,
  answerRefusal,
  destinationOf,
  type Handshake,
  isDatagram,
  isShutdown,
  latencyMs,
  readHandshake,
  REJECT,
  type Rejection,
  shutdownOf,
} from "./handshake.ts";
import { Refusals } from "./refusals.ts";
import { SrtReceiver, startSrtChild } from "./receiver.ts";

/** Delay of a shutdown, in addition to the connection's latency. */
const SHUTDOWN_DELAY_MS = 100;
/** Large enough for the burst of a key frame. */
const RECEIVE_BUFFER_BYTES = 4 << 20;

interface SrtCaller {
  id: string;
  remote: RemoteInfo;
  socketId: number;
  receiver: SrtReceiver | null;
  /** Answer to its conclusion. */
  answer: Buffer | null;
}

/** @throws when the port is unavailable */
export async function openSrtListener(
  options: { host: string; port: number },
  reception: Reception,
): Promise<Listener> {
  const socket = createSocket({ type: options.host.includes(":") ? "udp6" : "udp4" });
  socket.bind(options.port, options.host);
  await once(socket, "listening");
  return new SrtProxy(socket, reception);
}

class SrtProxy implements Listener {
  readonly port: number;
  readonly #socket: Socket;
  readonly #reception: Reception;
  readonly #cookies = new Cookies();
  readonly #slots = new DecisionSlots();
  /** By address, port and caller socket ID. */
  readonly #callers = new Map<string, SrtCaller>();
  readonly #refusals = new Refusals();
  /** Connected callers by address, port and receiver socket ID. */
  readonly #connected = new Map<string, SrtCaller>();
  readonly #running = new Set<Promise<void>>();
  readonly #receivers = new SpareProcess(startSrtChild, ({ name }) =>
    logWarning("srt.no_spare_process", { how: name }),
  );
  #isClosed = false;

  constructor(socket: Socket, reception: Reception) {
    this.#socket = socket;
    this.#reception = reception;
    this.port = socket.address().port;
    try {
      socket.setRecvBufferSize(RECEIVE_BUFFER_BYTES);
    } catch (error) {
      const { code, name } = error as NodeJS.ErrnoException;
      logWarning("srt.receive_buffer_not_set", { bytes: RECEIVE_BUFFER_BYTES, how: code ?? name });
    }
    socket.on("error", (error) => logError("srt.listener_failed", { how: error.message }));
    socket.on("message", (datagram: Buffer, remote) => this.#handle(datagram, remote));
    this.#receivers.prepare();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#slots.close();
    this.#receivers.close();
    for (const caller of this.#callers.values()) this.#disconnect(caller);
    await Promise.all(this.#running);
    const closed = once(this.#socket, "close");
    this.#socket.close();
    await closed;
  }

  #handle(datagram: Buffer, remote: RemoteInfo): void {
    if (this.#isClosed || !isDatagram(datagram)) return;
    const peer = `${remote.address}:${remote.port}`;
    const destination = destinationOf(datagram);
    if (destination !== 0) return this.#relay(this.#connected.get(`${peer}/${destination}`), datagram);
    const handshake = readHandshake(datagram);
    if (handshake === null) return;
    if (handshake.step === "induction") {
      this.#send(answerInduction(datagram, this.#cookies.make(peer, Date.now())), remote);
    } else if (this.#cookies.isGood(handshake.cookie, peer, Date.now())) this.#conclude(datagram, handshake, remote);
  }

  /** A shutdown is delayed, because libsrt discards media still in its latency buffer when the caller closes. */
  #relay(caller: SrtCaller | undefined, datagram: Buffer): void {
    if (caller?.receiver == null) return;
    const { receiver } = caller;
    if (isShutdown(datagram)) setTimeout(() => receiver.send(datagram), latencyMs(caller.answer!) + SHUTDOWN_DELAY_MS);
    else receiver.send(datagram);
  }

  #conclude(datagram: Buffer, handshake: Handshake, remote: RemoteInfo): void {
    const id = `${remote.address}:${remote.port}/${handshake.socketId}`;
    const known = this.#callers.get(id);
    const answer = known === undefined ? this.#refusals.answerTo(id) : known.answer;
    if (answer) return this.#send(answer, remote); // the first answer was lost
    if (known !== undefined) return;
    const caller: SrtCaller = { id, remote, socketId: handshake.socketId, receiver: null, answer: null };
    this.#callers.set(id, caller);
    const running = this.#serve(caller, datagram, handshake).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Never rejects: a failed receiver start affects only this caller. */
  async #serve(caller: SrtCaller, conclusion: Buffer, handshake: Handshake): Promise<void> {
    try {
      await this.#decideAndReceive(caller, conclusion, handshake);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      logError("srt.receiver_failed", { remote: remoteOf(caller), how: code ?? "unexpected", ...errorFields(error) });
      this.#refuse(caller, conclusion, REJECT.resource);
    }
  }

  async #decideAndReceive(caller: SrtCaller, conclusion: Buffer, handshake: Handshake): Promise<void> {
    const receivedAtMs = performance.now();
    const peer = remoteOf(caller);
    const decision = await this.#decide(caller, handshake);
    if (decision.rejection !== null) return this.#refuse(caller, conclusion, decision.rejection);

    const { admission, passphrase } = decision;
    const ids = { streamId: admission.streamId, sessionId: admission.sessionId };
    const receiver = await this.#startReceiver(passphrase).catch((error: unknown) => {
      void admission.take(nothing(), () => {}); // its session ends at once
      throw error;
    });
    caller.receiver = receiver;
    if (this.#isClosed) receiver.end();
    receiver.onDatagram = (datagram) => this.#send(datagram, caller.remote);
    const taken = admission.take(receiver.bytes(), (reason) => {
      log("srt.hung_up", { ...ids, reason });
      this.#disconnect(caller);
    });
    void taken.then(() => receiver.end()); // the reader has stopped
    caller.answer = await receiver.connect(conclusion, receivedAtMs);
    const accepted = caller.answer === null ? null : readHandshake(caller.answer);
    if (accepted?.step === "conclusion") this.#connected.set(`${peer}/${accepted.socketId}`, caller);
    else {
      logWarning("srt.handshake_failed", ids);
      receiver.end();
    }
    this.#send(caller.answer ?? answerRefusal(conclusion, REJECT.internal), caller.remote);
    await receiver.over;
    this.#send(shutdownOf(caller.socketId), caller.remote); // the caller is not notified when its receiver is killed
    await taken;
    this.#callers.delete(caller.id);
    if (accepted) this.#connected.delete(`${peer}/${accepted.socketId}`);
  }

  async #decide(caller: SrtCaller, handshake: Handshake): Promise<Decision> {
    const { address } = caller.remote;
    if (!(await this.#slots.acquire(address))) return { rejection: REJECT.overload };
    try {
      return await decide(handshake, remoteOf(caller), this.#reception);
    } finally {
      this.#slots.release(address);
    }
  }

  #refuse(caller: SrtCaller, conclusion: Buffer, code: Rejection): void {
    log("srt.refused", { remote: remoteOf(caller), code });
    const answer = answerRefusal(conclusion, code);
    this.#send(answer, caller.remote);
    this.#callers.delete(caller.id);
    this.#refusals.keep(caller.id, answer);
  }

  #disconnect(caller: SrtCaller): void {
    this.#send(shutdownOf(caller.socketId), caller.remote);
    caller.receiver?.end();
  }

  #send(datagram: Buffer, remote: RemoteInfo): void {
    sendOrLog("to the caller", () => this.#socket.send(datagram, remote.port, remote.address, () => {}));
  }

  async #startReceiver(passphrase: string): Promise<SrtReceiver> {
    return await SrtReceiver.start(this.#receivers.take(), passphrase);
  }
}

const remoteOf = ({ remote }: SrtCaller) => `${remote.address}:${remote.port}`;

async function* nothing(): AsyncGenerator<Uint8Array> {}
