import { Container } from "@cloudflare/containers";
import { EncoderHealth } from "../protocol/jobs.ts";
import { askWithSecrets } from "../src/platform/crypto/encoder-secret.ts";
import type { Env } from "../src/platform/env.ts";
import { log, logWarning } from "../src/platform/log.ts";

/** One instance of the encoder image on Cloudflare. Locally `ENCODER_URL` is used instead and this is never started. */
export class EncoderContainer extends Container<Env> {
  override defaultPort = 8790;
  override sleepAfter = "5m";
  override envVars: Record<string, string> = { ENCODER_SECRET: this.env.ENCODER_SECRET };

  /** A busy encoder sends requests but receives none, so inactivity is not enough: it is stopped only when it reports that it is idle. */
  override async onActivityExpired(): Promise<void> {
    if (await this.isBusy()) return; // the library restarts its timer
    log("encoder.sleeps", { instance: this.ctx.id.toString() });
    await this.stop();
  }

  private async isBusy(): Promise<boolean> {
    try {
      const { response } = await askWithSecrets(this.env, (secret) =>
        this.containerFetch("http://encoder/health", { headers: { authorization: `Bearer ${secret}` } }),
      );
      const health = EncoderHealth.parse(await response.json());
      return health.running + health.queued > 0;
    } catch (error) {
      logWarning("encoder.health_unknown", { instance: this.ctx.id.toString(), error: String(error) });
      return false; // an encoder that does not answer is stopped; its jobs lose their leases and are assigned again
    }
  }
}
