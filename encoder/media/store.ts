/** Objects on their way to the Worker: a few at once, and whoever makes them waits when too many bytes are under way. */
import { callBack, type CallbackTarget } from "../callbacks.ts";

const MAX_UPLOADS_AT_ONCE = 4;
const MAX_BYTES_UNDER_WAY = 64 << 20;

export class Store {
  readonly #target: CallbackTarget;
  readonly #onWait: (ms: number) => void;
  readonly #waiting: (() => Promise<void>)[] = [];
  #running = 0;
  #bytesUnderWay = 0;
  #failure: unknown;
  #wake: (() => void)[] = [];

  constructor(target: CallbackTarget, onWait: (ms: number) => void) {
    this.#target = target;
    this.#onWait = onWait;
  }

  /** Starts, or lines up; `onStored` is called once it was taken; a failure comes out of `settled` or `flushed`. */
  put(rendition: string, file: string, bytes: Buffer, onStored?: () => void): void {
    this.#bytesUnderWay += bytes.length;
    this.#waiting.push(async () => {
      await callBack(
        this.#target,
        { method: "PUT", path: `objects/${rendition}/${file}`, headers: { "Content-Type": "video/mp4" }, body: bytes },
        this.#onWait,
      );
      this.#bytesUnderWay -= bytes.length;
      onStored?.();
    });
    this.#startNext();
  }

  /** Resolves when there is room for more. */
  settled(): Promise<void> {
    return this.#until(() => this.#bytesUnderWay <= MAX_BYTES_UNDER_WAY);
  }

  /** Resolves when every object was taken with a 2xx. */
  flushed(): Promise<void> {
    return this.#until(() => this.#running === 0 && this.#waiting.length === 0);
  }

  async #until(isTrue: () => boolean): Promise<void> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      if (isTrue()) return;
      await new Promise<void>((wake) => this.#wake.push(wake));
    }
  }

  #startNext(): void {
    while (this.#running < MAX_UPLOADS_AT_ONCE && this.#failure === undefined) {
      const upload = this.#waiting.shift();
      if (upload === undefined) return;
      this.#running++;
      void upload()
        .catch((error: unknown) => (this.#failure ??= error))
        .finally(() => {
          this.#running--;
          this.#startNext();
          for (const wake of this.#wake.splice(0)) wake();
        });
    }
  }
}
