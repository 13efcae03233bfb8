/** Keeps work alive when the request that began it is over. */
export interface Lasting {
  waitUntil(work: Promise<unknown>): void;
}

/** Longer than anything here takes: the request that began the work may be gone, and the work with it. */
const PATIENCE_MS = 15_000;

/** One piece of work for all requests of this isolate that want the same in one moment. */
export class SingleFlight<Value> {
  readonly #underWay = new Map<string, Promise<Value>>();

  get size(): number {
    return this.#underWay.size;
  }

  /** @param keepMs the value is given to whoever comes so much later too */
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

/** Null when it fails or does not come: whoever waited does it for himself then. */
async function orGiveUp<Value>(work: Promise<Value>): Promise<{ value: Value } | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<null>((done) => {
    timer = setTimeout(() => done(null), PATIENCE_MS);
  });
  const first = await Promise.race([work.then((value) => ({ value })).catch(() => null), tooLate]);
  clearTimeout(timer);
  return first;
}
