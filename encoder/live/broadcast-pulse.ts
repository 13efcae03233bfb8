/** Reports a broadcast's progress every second, and drops a rung when the machine is too slow. */
import type { BroadcastListener } from "./output.ts";
import type { OverloadPolicy } from "./overload.ts";
import type { RunSequence } from "./run-sequence.ts";
import { SpeedMeter } from "./speed-meter.ts";
import type { StreamReader } from "./stream-reader.ts";

export class BroadcastPulse {
  readonly #runs: RunSequence;
  readonly #reader: StreamReader;
  readonly #listener: Pick<BroadcastListener, "onPulse">;
  readonly #overload: Pick<OverloadPolicy, "decide">;
  readonly #meter = new SpeedMeter(performance.now());

  constructor(
    runs: RunSequence,
    reader: StreamReader,
    listener: Pick<BroadcastListener, "onPulse">,
    overload: Pick<OverloadPolicy, "decide">,
  ) {
    this.#runs = runs;
    this.#reader = reader;
    this.#listener = listener;
    this.#overload = overload;
  }

  /** @param packets read so far */
  beat(packets: number): void {
    const runs = this.#runs;
    const atMs = performance.now();
    const waitedMs = this.#reader.waitedMs(atMs);
    const work = this.#meter.measure({ atMs, waitedMs, mediaSeconds: runs.mediaSeconds });
    const picture = runs.current?.picture ?? null;
    const name = runs.current && this.#overload.decide({ atMs, ...work }, picture?.droppableRungs ?? []);
    if (name) {
      runs.pictures!.drop(name);
      picture!.drop(name);
    }
    this.#listener.onPulse({
      segments: runs.nextMsn,
      speed: this.#meter.speed,
      isWaiting: this.#reader.isWaiting || runs.isPlacing,
      steps: packets + (picture?.steps ?? 0),
    });
  }
}
