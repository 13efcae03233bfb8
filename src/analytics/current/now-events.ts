/** Current viewers as a stream of events, for dashboards. */
const INTERVAL_MS = 10_000;
/** Five minutes. The client then connects again, which counts as a request of its workspace. */
const MAX_EVENTS = 30;
const RECONNECT_MS = 1000;

/**
 * Server-sent events (`text/event-stream`): one at once, then one every 10 s, 30 in all. The next one is produced when the client has read the
 * previous one; a disconnect ends the stream.
 *
 * @param ask returns the data of an event. When it throws, the stream breaks and the client reconnects
 */
export function nowEvents(ask: () => Promise<object>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sent = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        if (sent > 0)
          await new Promise<void>((resolve) => {
            timer = setTimeout(resolve, INTERVAL_MS);
          });
        const data = JSON.stringify(await ask());
        const head = sent === 0 ? `retry: ${RECONNECT_MS}\n` : "";
        controller.enqueue(encoder.encode(`${head}event: now\ndata: ${data}\n\n`));
        sent += 1;
        if (sent === MAX_EVENTS) controller.close();
      },
      cancel: () => clearTimeout(timer),
    },
    { highWaterMark: 0 },
  );
}
