import { Container } from "@cloudflare/containers";

/** One instance of the encoder image on Cloudflare. Locally `ENCODER_URL` is used instead and this is never started. */
export class EncoderContainer extends Container {
  override defaultPort = 8790;
  override sleepAfter = "5m";
}
