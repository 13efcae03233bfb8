/**
 * Handshake of RTMP (RTMP 1.0 §5.2). Flash and encoders built like it sign theirs and expect a signed answer; all others get their bytes
 * back.
 */
import { createHmac, randomBytes } from "node:crypto";
import { RtmpError } from "./rtmp-error.ts";

const VERSION = 3;
const HANDSHAKE_BYTES = 1536;
/** What either side sends: the version, and two packets. */
const WHOLE_BYTES = 1 + 2 * HANDSHAKE_BYTES;

/** One side of the handshake. */
export class Handshake {
  readonly #answerTo: (packet: Buffer) => Buffer;
  readonly #received = Buffer.alloc(WHOLE_BYTES);
  #bytes = 0;
  #isAnswered = false;

  private constructor(answerTo: (packet: Buffer) => Buffer) {
    this.#answerTo = answerTo;
  }

  static ofServer(): Handshake {
    return new Handshake(serverAnswer);
  }

  /** The client speaks first: `clientGreeting`. It returns the server's packet. */
  static ofClient(): Handshake {
    return new Handshake((packet) => Buffer.from(packet));
  }

  get isComplete(): boolean {
    return this.#bytes === WHOLE_BYTES;
  }

  /** @returns the bytes behind the handshake @throws {RtmpError} when the peer does not speak RTMP */
  read(bytes: Buffer, output: (bytes: Buffer) => void): Buffer {
    if (this.#bytes === 0 && bytes.length > 0 && bytes[0] !== VERSION) throw new RtmpError("no RTMP handshake");
    const taken = bytes.copy(this.#received, this.#bytes);
    this.#bytes += taken;
    if (!this.#isAnswered && this.#bytes > HANDSHAKE_BYTES) {
      this.#isAnswered = true;
      output(this.#answerTo(this.#received.subarray(1, 1 + HANDSHAKE_BYTES)));
    }
    return bytes.subarray(taken);
  }
}

/** Version, and an unsigned packet. */
export const clientGreeting = (): Buffer =>
  Buffer.concat([Buffer.of(VERSION), Buffer.alloc(8), randomBytes(HANDSHAKE_BYTES - 8)]);

const DIGEST_BYTES = 32;
/** Where a packet says where its digest is: four bytes whose sum counts from behind them. */
const DIGEST_PLACES = [772, 8] as const;
const DIGEST_RANGE = 728;
const CLIENT_KEY = "Genuine Adobe Flash Player 001";
const SERVER_KEY = "Genuine Adobe Flash Media Server 001";
/** Follows the server's key in the second packet of the answer. */
const SERVER_KEY_TAIL = Buffer.from("f0eec24a8068bee82e00d0d1029e7e576eec5d2d29806fab93b8e636cfeb31ae", "hex");
/** In the place of the server's version. Not 0, which means an unsigned handshake. */
const SIGNED_VERSION = Buffer.from([0, 0, 0, 0, 1, 2, 3, 4]);

/** @param packet of the client @returns version and both packets of the server */
function serverAnswer(packet: Buffer): Buffer {
  const place = DIGEST_PLACES.find((at) => digestOf(packet, at, CLIENT_KEY).equals(digestIn(packet, at)));
  if (place === undefined) return Buffer.concat([Buffer.of(VERSION), packet, packet]);
  const first = Buffer.concat([SIGNED_VERSION, randomBytes(HANDSHAKE_BYTES - SIGNED_VERSION.length)]);
  digestOf(first, place, SERVER_KEY).copy(first, digestAt(first, place));
  const second = randomBytes(HANDSHAKE_BYTES - DIGEST_BYTES);
  const key = hmac(digestIn(packet, place), Buffer.concat([Buffer.from(SERVER_KEY), SERVER_KEY_TAIL]));
  return Buffer.concat([Buffer.of(VERSION), first, second, hmac(second, key)]);
}

const digestAt = (packet: Buffer, place: number): number =>
  place + 4 + ((packet[place]! + packet[place + 1]! + packet[place + 2]! + packet[place + 3]!) % DIGEST_RANGE);

function digestIn(packet: Buffer, place: number): Buffer {
  const at = digestAt(packet, place);
  return packet.subarray(at, at + DIGEST_BYTES);
}

/** Signs all bytes but those of the digest itself. */
function digestOf(packet: Buffer, place: number, key: string): Buffer {
  const at = digestAt(packet, place);
  return hmac(Buffer.concat([packet.subarray(0, at), packet.subarray(at + DIGEST_BYTES)]), key);
}

const hmac = (bytes: Buffer, key: string | Buffer): Buffer => createHmac("sha256", key).update(bytes).digest();
