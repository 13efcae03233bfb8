import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A busy machine answers late, so a failure needs both: the time, and the number of consecutive probes. */
const LIMIT_MS = 15_000;
const MIN_PROBES = 3;
const PAUSE_MS = 500;
const PROBE_LIMIT_MS = 5000;

/** Whether the address gives any answer. */
export type Probe = (url: string) => Promise<boolean>;

const probeOverHttp: Probe = (url) =>
  fetch(url, { signal: AbortSignal.timeout(PROBE_LIMIT_MS) }).then(
    () => true,
    () => false,
  );

/** Resolves once the address answers. */
export async function untilAnswered(url: string): Promise<void> {
  while (!(await probeOverHttp(url))) await sleep(PAUSE_MS);
}

/** @returns false when several probes in a row have failed over 15 s */
export async function answersInTime(
  url: string,
  { probe = probeOverHttp, now = () => performance.now(), pauseMs = PAUSE_MS } = {},
): Promise<boolean> {
  const startedAt = now();
  for (let failed = 0; failed < MIN_PROBES || now() - startedAt < LIMIT_MS; failed++) {
    if (await probe(url)) return true;
    await sleep(pauseMs);
  }
  return false;
}

/** Whether nothing listens at the address. A program that is busy or stopped at a breakpoint still accepts connections. */
export const refusesConnections = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => done(false));
    socket.once("error", (error: NodeJS.ErrnoException) => done(error.code === "ECONNREFUSED"));
    socket.once("close", () => done(false));
    socket.once("connect", () => socket.destroy());
  });
