/** Stateless cookies with which a caller proves that it receives datagrams at its address. */
import { createHmac, randomBytes } from "node:crypto";

/** As in libsrt, a cookie is valid in the minute it was made and the next. */
const MINUTE_MS = 60_000;

export class Cookies {
  readonly #secret = randomBytes(32);

  /** @param caller "address:port" */
  make(caller: string, nowMs: number): number {
    const minute = Math.floor(nowMs / MINUTE_MS);
    return createHmac("sha256", this.#secret).update(`${caller} ${minute}`).digest().readUInt32BE();
  }

  isGood(cookie: number, caller: string, nowMs: number): boolean {
    return cookie === this.make(caller, nowMs) || cookie === this.make(caller, nowMs - MINUTE_MS);
  }
}
