import { ProviderError, type ProviderErrorCode } from "./provider-error.ts";

/** The binding `AI`, as far as it is used. `npm run deploy` adds it; it never exists locally. */
export interface AiBinding {
  run(model: string, inputs: Record<string, unknown>, options?: { signal?: AbortSignal }): Promise<unknown>;
}

/**
 * Runs a model, until the signal: the binding may not know it.
 *
 * @throws {ProviderError}
 */
export async function runBinding(
  { binding, model }: { binding: AiBinding; model: string },
  inputs: Record<string, unknown>,
  signal: AbortSignal,
): Promise<unknown> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
  try {
    return await Promise.race([binding.run(model, inputs, { signal }), aborted]);
  } catch (cause) {
    throw new ProviderError(codeOf(cause, signal), { cause });
  }
}

/** Internal codes of Cloudflare's page of errors, which begin the message: `3040: No more data centers …`. */
const CODES: Record<string, ProviderErrorCode> = {
  "3006": "ai_piece_too_large",
  "3036": "ai_busy",
  "3040": "ai_busy",
  "3023": "ai_key_refused",
  "3041": "ai_key_refused",
  "5016": "ai_key_refused",
  "5018": "ai_key_refused",
  "3042": "ai_model_unknown",
  "5007": "ai_model_unknown",
  "3003": "ai_refused",
  "5004": "ai_refused",
};

function codeOf(cause: unknown, signal: AbortSignal): ProviderErrorCode {
  if (signal.aborted) return "ai_unreachable";
  const [code = ""] = /\b\d{4}\b/.exec(cause instanceof Error ? cause.message : "") ?? [];
  return CODES[code] ?? "ai_failed";
}
