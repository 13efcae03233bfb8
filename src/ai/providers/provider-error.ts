interface Rule {
  message: string;
  /** The same request may succeed later. */
  isRetryable: boolean;
  /** The provider has worked for it, or may have: it counts towards the budget. */
  isPaid: boolean;
}

/** Why a provider gave no result, by the codes of `error.code` of what was asked for. */
export const PROVIDER_ERRORS = {
  ai_key_refused: { message: "The AI provider refused the key.", isRetryable: false, isPaid: false },
  ai_model_unknown: { message: "The AI provider has no such model.", isRetryable: false, isPaid: false },
  ai_piece_too_large: { message: "The AI provider takes only smaller pieces.", isRetryable: false, isPaid: false },
  ai_refused: { message: "The AI provider refused the request.", isRetryable: false, isPaid: false },
  ai_answer_unusable: {
    message: "The AI provider answered with something else than a transcription.",
    isRetryable: false,
    isPaid: true,
  },
  ai_busy: { message: "The AI provider takes no more requests for now.", isRetryable: true, isPaid: false },
  ai_failed: { message: "The AI provider failed.", isRetryable: true, isPaid: false },
  ai_unreachable: { message: "The AI provider did not answer.", isRetryable: true, isPaid: true },
} as const satisfies Record<string, Rule>;
export type ProviderErrorCode = keyof typeof PROVIDER_ERRORS;

export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly code: ProviderErrorCode;
  readonly retryAfterMs: number | null;

  constructor(
    code: ProviderErrorCode,
    { retryAfterMs = null, ...options }: ErrorOptions & { retryAfterMs?: number | null } = {},
  ) {
    super(PROVIDER_ERRORS[code].message, options);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }

  get isRetryable(): boolean {
    return PROVIDER_ERRORS[this.code].isRetryable;
  }

  get isPaid(): boolean {
    return PROVIDER_ERRORS[this.code].isPaid;
  }
}
