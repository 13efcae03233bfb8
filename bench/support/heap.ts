/** The memory of the Worker's isolate, from workerd's inspector (Chrome DevTools Protocol). */
export interface Heap {
  /** The memory that counts against a Worker's limit: the JavaScript heap, including garbage, and external buffers. */
  bytes(): Promise<number>;
  /** The same without garbage, which is collected before: what a Worker near its limit would be left with. */
  bytesInUse(): Promise<number>;
  close(): void;
}

interface Answer {
  id?: number;
  result?: { usedSize?: number; backingStorageSize?: number; embedderHeapUsedSize?: number };
  error?: { message: string };
}

/** @param worker the Worker's name in the inspector's list */
export async function openHeap(inspectorPort: number, worker: string): Promise<Heap> {
  const listed = await fetch(`http://127.0.0.1:${inspectorPort}/json`);
  const targets = (await listed.json()) as { id: string; webSocketDebuggerUrl: string }[];
  const target = targets.find(({ id }) => id.includes(worker));
  if (target === undefined) throw new Error(`the inspector does not list ${worker}: ${JSON.stringify(targets)}`);
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise((opened, failed) => {
    socket.addEventListener("open", opened);
    socket.addEventListener("error", () => failed(new Error("the inspector refused the connection")));
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.addEventListener("message", ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer;
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
  });
  let last = 0;
  const ask = async (method: string): Promise<Answer> => {
    const id = ++last;
    const answered = new Promise<Answer>((done) => waiting.set(id, done));
    socket.send(JSON.stringify({ id, method }));
    const answer = await answered;
    waiting.delete(id);
    return answer;
  };
  const bytes = async () => {
    const { result, error } = await ask("Runtime.getHeapUsage");
    if (result?.usedSize === undefined) throw new Error(`no heap usage: ${error?.message ?? "unknown"}`);
    return result.usedSize + (result.backingStorageSize ?? 0) + (result.embedderHeapUsedSize ?? 0);
  };
  return {
    bytes,
    async bytesInUse() {
      await ask("HeapProfiler.collectGarbage");
      return await bytes();
    },
    close: () => socket.close(),
  };
}
