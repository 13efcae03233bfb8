/** Waits. @throws the signal's reason when it is aborted */
export function pause(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((done, failed) => {
    signal?.throwIfAborted();
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      done();
    }, ms);
    const stop = () => {
      clearTimeout(timer);
      failed(signal!.reason as Error);
    };
    signal?.addEventListener("abort", stop, { once: true });
  });
}
