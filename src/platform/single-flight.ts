/** Keeps work running after the request that started it has ended. */
export interface Lasting {
  waitUntil(work: Promise<unknown>): void;
}

/** Longer than any shared work takes. The request that started the work may have been cancelled, and the work with it. */
const TIMEOUT_MS = 15_000;

/** Shares one call among all requests of this isolate that need the same value at the same time. */
export class SingleFlight<Value> {
  readonly #underWay = new Map<string, Promise<Value>>();

  get size(): number {
    return this.#underWay.size;
  }

  /** @param keepMs how long the value is reused after it arrived */
  async share(key: string, ctx: Lasting, begin: () => Promise<Value>, keepMs: (value: Value) => number = () => 0) {
    const known = this.#underWay.get(key);
    if (known !== undefined) {
      const found = await orGiveUp(known);
      if (found !== null) return found.value;
      if (this.#underWay.get(key) === known) this.#underWay.delete(key);
    }
    const work = begin();
    this.#underWay.set(key, work);
    const forget = () => void (this.#underWay.get(key) === work && this.#underWay.delete(key));
    ctx.waitUntil(
      work.then(async (value) => {
        const ms = keepMs(value);
        if (ms > 0) await new Promise((done) => setTimeout(done, ms));
        forget();
      }, forget),
    );
    return await work;
  }
}

/** Null on failure or timeout; the waiting caller then does the work itself. */
async function orGiveUp<Value>(work: Promise<Value>): Promise<{ value: Value } | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<null>((done) => {
    timer = setTimeout(() => done(null), TIMEOUT_MS);
  });
  const first = await Promise.race([work.then((value) => ({ value })).catch(() => null), tooLate]);
  clearTimeout(timer);
  return first;
}
