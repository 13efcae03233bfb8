import { logError } from "../../protocol/log.ts";

const CRON_MS = 60_000;
/** Work that became due just before a crash counts as overdue after this time. */
const SWEPT_AGAIN_MS = 6000;
/** Cloudflare fires crons; local runtimes fire one when this path is requested. */
const TRIGGER = "/cdn-cgi/local/scheduled?cron=*+*+*+*+*";

/** The used part of a response: miniflare's and Node's types differ. */
interface Answer {
  ok: boolean;
  text(): Promise<string>;
}

/**
 * Fires the Worker's cron every minute, and at the start, which recovers interrupted work without waiting for the first minute.
 *
 * @returns stops it
 */
export function startCron(request: (path: string) => Promise<Answer>): () => void {
  let isStopped = false;
  const fail = (error: string) => isStopped || logError("cron.failed", { error });
  const fire = async () => {
    try {
      const answer = await request(TRIGGER);
      const text = await answer.text();
      if (!answer.ok) fail(text);
    } catch (error) {
      fail(String(error));
    }
  };
  const interval = setInterval(() => void fire(), CRON_MS);
  const again = setTimeout(() => void fire(), SWEPT_AGAIN_MS).unref();
  void fire();
  return () => {
    isStopped = true;
    clearInterval(interval);
    clearTimeout(again);
  };
}
