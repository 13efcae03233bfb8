/** Uploads objects to the Worker, a few in parallel, with back-pressure on the producer. */
import { callBack, type CallbackTarget } from "../platform/callbacks.ts";

const MAX_UPLOADS_AT_ONCE = 4;
const MAX_PENDING_BYTES = 64 << 20;

export class Store {
  readonly #target: CallbackTarget;
  readonly #onWait: (ms: number) => void;
  readonly #waiting: (() => Promise<void>)[] = [];
  #running = 0;
  #pendingBytes = 0;
  #failure: unknown;
  #wake: (() => void)[] = [];

  constructor(target: CallbackTarget, onWait: (ms: number) => void) {
    this.#target = target;
    this.#onWait = onWait;
  }

  /** Queues an upload. `onStored` is called on success; `settled` and `flushed` reject after a failure. */
  put(rendition: string, file: string, bytes: Buffer, onStored?: () => void): void {
    this.#pendingBytes += bytes.length;
    this.#waiting.push(async () => {
      await callBack(
        this.#target,
        { method: "PUT", path: `objects/${rendition}/${file}`, headers: { "Content-Type": "video/mp4" }, body: bytes },
        this.#onWait,
      );
      this.#pendingBytes -= bytes.length;
      onStored?.();
    });
    this.#startNext();
  }

  /** Resolves when more bytes may be queued. */
  settled(): Promise<void> {
    return this.#until(() => this.#pendingBytes <= MAX_PENDING_BYTES);
  }

  /** Resolves when every object has been stored. */
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
