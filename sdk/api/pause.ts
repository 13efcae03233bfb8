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

/** The result of work that cannot be stopped itself, such as a read. @throws the signal's reason as soon as it is aborted */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  let stop = () => undefined as void;
  const aborted = new Promise<never>((_, failed) => {
    stop = () => failed(signal.reason as Error);
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
