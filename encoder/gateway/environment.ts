import { availableParallelism } from "node:os";
import { z } from "zod";
import { readGatewayCredential } from "../../protocol/gateway-credential.ts";
import { isSecureUrl } from "../../protocol/secure-url.ts";

export const MAKE_CREDENTIAL = "make one with `npm run gateway:credential -- ID HOST`";

const port = (fallback: string) =>
  z
    .string()
    .refine((text) => /^\d{0,5}$/.test(text) && Number(text) <= 65_535, {
      error: "must be a port, at most 65535, or empty",
    })
    .default(fallback)
    .transform((text) => (text === "" ? null : Number(text)));
const secureUrl = z.string().refine(isSecureUrl, {
  error: "must be an https URL, because secrets and media are sent to it (http only on this machine)",
});

/** The gateway's environment variables with defaults and checks. Documented in `gateway.ts` and docs/architecture/ingest.md. */
export const GatewayEnvironment = z.object({
  WORKER_URL: secureUrl,
  GATEWAY_CREDENTIAL: z
    .string({ error: `is missing: ${MAKE_CREDENTIAL}` })
    .refine((text) => readGatewayCredential(text) !== null, { error: `is not a valid credential: ${MAKE_CREDENTIAL}` }),
  PUBLIC_HOST: z.string().min(1).optional(),
  HOST: z.string().default("0.0.0.0"),
  HTTP_PORT: port("8791"),
  HTTP_HOST: z.string().default("127.0.0.1"),
  HTTP_URL: secureUrl.optional(),
  RTMP_PORT: port("1935"),
  RTMPS_PORT: port(""),
  SRT_PORT: port("8890"),
  TLS_CERT_FILE: z.string().optional(),
  TLS_KEY_FILE: z.string().optional(),
  GATEWAY_CAPACITY: z.coerce.number().int().min(1).default(availableParallelism()),
});
