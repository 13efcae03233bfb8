/** A reception that records its calls and the received media. */
import type { Admission, HangUp, Incoming, Reception } from "../../encoder/gateway/reception/incoming.ts";
import { until } from "./until.ts";

export interface Broadcast {
  incoming: Incoming;
  chunks: Buffer[];
  hangUp: HangUp;
  isOver: boolean;
  /** While it is set, nothing more is read. */
  hold: Promise<void> | null;
}

export class TestReception implements Reception {
  readonly asked: Incoming[] = [];
  readonly broadcasts: Broadcast[] = [];
  /** Answers by key; other keys are accepted. */
  readonly refused = new Map<string, Extract<Admission, { accepted: false }>["reason"]>();
  readonly passphrases = new Map<string, string>();
  /** All answers wait for it. */
  gate: Promise<void> = Promise.resolve();
  hold: Promise<void> | null = null;
  /** The answer for one key waits for it. */
  readonly holds = new Map<string, Promise<void>>();

  async admit(incoming: Incoming): Promise<Admission> {
    this.asked.push(incoming);
    await this.gate;
    const reason = this.refused.get(incoming.streamKey);
    if (reason !== undefined) return { accepted: false, reason };
    const take = async (bytes: AsyncIterable<Uint8Array>, hangUp: HangUp) => {
      const broadcast: Broadcast = {
        incoming,
        chunks: [],
        hangUp,
        isOver: false,
        hold: this.holds.get(incoming.streamKey) ?? this.hold,
      };
      this.broadcasts.push(broadcast);
      await broadcast.hold;
      for await (const chunk of bytes) {
        broadcast.chunks.push(Buffer.from(chunk));
        await broadcast.hold;
      }
      broadcast.isOver = true;
    };
    return { accepted: true, streamId: "s".repeat(32), sessionId: crypto.randomUUID(), take };
  }

  async passphraseOf(streamKey: string) {
    const passphrase = this.passphrases.get(streamKey);
    return passphrase === undefined
      ? ({ accepted: false, reason: "unknown_key" } as const)
      : ({ accepted: true, passphrase } as const);
  }

  /** The broadcast of a key, once it has begun. */
  async begun(streamKey: string): Promise<Broadcast> {
    const find = () => this.broadcasts.findLast(({ incoming }) => incoming.streamKey === streamKey);
    await until(() => find() !== undefined);
    return find()!;
  }

  /** The bytes of a broadcast, once it is over. */
  async whole(streamKey: string): Promise<Buffer> {
    const broadcast = await this.begun(streamKey);
    await until(() => broadcast.isOver);
    return Buffer.concat(broadcast.chunks);
  }
}
