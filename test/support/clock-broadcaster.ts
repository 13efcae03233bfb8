/** A real broadcaster with a burnt-in clock, in a separate process. */
import { fork } from "node:child_process";
import type { ClockBroadcast } from "../../scripts/live/clock-broadcast.ts";

export interface Broadcaster {
  pid: number;
  /** Resolves with the exit code. */
  gone: Promise<number | null>;
  isGone(): boolean;
  /** Stops gracefully: sends its encoded media first. */
  stop(): Promise<void>;
  /** Kills the process, like a lost connection. */
  kill(): Promise<void>;
}

const CLOCK: Omit<ClockBroadcast, "url"> = {
  clip: "test/fixtures/friday.mp4",
  format: "flv",
  widthPx: 1280,
  heightPx: 720,
  frameRate: 30,
  bitrateBps: 3_000_000,
  keySeconds: 2,
};

/** Resolves when its first picture has been sent. */
export async function startBroadcaster(url: string, more: Partial<ClockBroadcast> = {}): Promise<Broadcaster> {
  const child = fork("scripts/live/clock-broadcast.ts", [], {
    env: { ...process.env, SLUICE_BROADCAST: JSON.stringify({ ...CLOCK, url, ...more }) },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  let words = "";
  child.stderr?.on("data", (chunk: Buffer) => (words += chunk.toString()));
  const gone = new Promise<number | null>((done) => child.once("exit", done));
  await new Promise<void>((onAir, failed) => {
    child.once("message", () => onAir());
    child.once("exit", (code) => failed(new Error(`the broadcaster ended with ${code}: ${words}`)));
  });
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await gone;
  };
  const isGone = () => child.exitCode !== null || child.signalCode !== null;
  return { pid: child.pid!, gone, isGone, stop: () => end("SIGTERM"), kill: () => end("SIGKILL") };
}
