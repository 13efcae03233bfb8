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
  ai_model_unknown: {
    message: "The AI provider has no such model, or no such address.",
    isRetryable: false,
    isPaid: false,
  },
  ai_piece_too_large: { message: "The AI provider takes only smaller pieces.", isRetryable: false, isPaid: false },
  ai_redirected: {
    message: "The AI provider answers with another address, to which its key is not sent.",
    isRetryable: false,
    isPaid: false,
  },
  ai_refused: { message: "The AI provider refused the request.", isRetryable: false, isPaid: false },
  ai_answer_unusable: {
    message: "The AI provider answered with something else than what was asked for.",
    isRetryable: false,
    isPaid: true,
  },
  ai_busy: { message: "The AI provider takes no more requests for now.", isRetryable: true, isPaid: false },
  ai_failed: { message: "The AI provider failed.", isRetryable: true, isPaid: false },
  ai_unreachable: { message: "The AI provider did not answer.", isRetryable: true, isPaid: true },
} as const satisfies Record<string, Rule>;
export type ProviderErrorCode = keyof typeof PROVIDER_ERRORS;

interface Facts extends ErrorOptions {
  retryAfterMs?: number | null;
  isPaid?: boolean;
  status?: number | null;
}

export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly code: ProviderErrorCode;
  readonly retryAfterMs: number | null;
  readonly isPaid: boolean;
  /** The status of the answer; null = there was none. */
  readonly status: number | null;

  /** @param facts.isPaid when that is known better than by the code */
  constructor(code: ProviderErrorCode, { retryAfterMs = null, isPaid, status = null, ...options }: Facts = {}) {
    super(PROVIDER_ERRORS[code].message, options);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
    this.isPaid = isPaid ?? PROVIDER_ERRORS[code].isPaid;
    this.status = status;
  }

  get isRetryable(): boolean {
    return PROVIDER_ERRORS[this.code].isRetryable;
  }
}
