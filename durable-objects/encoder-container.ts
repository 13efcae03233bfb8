import { Container } from "@cloudflare/containers";
import { EncoderHealth } from "../encoder/protocol.ts";
import type { Env } from "../src/env.ts";
import { log } from "../src/http/log.ts";

/** One instance of the encoder image on Cloudflare. Locally `ENCODER_URL` is used instead and this is never started. */
export class EncoderContainer extends Container<Env> {
  override defaultPort = 8790;
  override sleepAfter = "5m";
  override envVars: Record<string, string> = { ENCODER_SECRET: this.env.ENCODER_SECRET };

  /** An encoder at work gets no requests, it makes them: it is put to sleep only when it says that it has nothing to do. */
  override async onActivityExpired(): Promise<void> {
    if (await this.isBusy()) return; // the library sets the time anew
    log("encoder.sleeps", { instance: this.ctx.id.toString() });
    await this.stop();
  }

  private async isBusy(): Promise<boolean> {
    const headers = { authorization: `Bearer ${this.env.ENCODER_SECRET}` };
    try {
      const health = EncoderHealth.parse(
        await (await this.containerFetch("http://encoder/health", { headers })).json(),
      );
      return health.running + health.queued > 0;
    } catch {
      return false; // one that does not answer is stopped; its jobs lose their leases and are handed out again
    }
  }
}
