/** Work that takes longer never ends: when a client disconnects, the runtime drops the promises of its request. */
const LOST_AFTER_MS = 30_000;

/**
 * Runs at most `most` works at once, for what anonymous requests cause and what shares the isolate's memory with all other work.
 *
 * @param refusal what a caller beyond that gets
 */
export function atMost(most: number, refusal: () => Error): <T>(work: () => Promise<T>) => Promise<T> {
  const underWay = new Set<{ atMs: number }>();
  return async (work) => {
    const now = Date.now();
    for (const other of underWay) if (now - other.atMs > LOST_AFTER_MS) underWay.delete(other);
    if (underWay.size >= most) throw refusal();
    const own = { atMs: now };
    underWay.add(own);
    try {
      return await work();
    } finally {
      underWay.delete(own);
    }
  };
}
