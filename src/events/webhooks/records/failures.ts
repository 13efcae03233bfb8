/**
 * Every failure of a delivery that the log can show.
 *
 * `message` is for the webhook's owner. `fault`: whether the endpoint, our service or a decision of the owner caused it. `retryable`: the
 * delivery is attempted again.
 */
export const DELIVERY_FAILURES = {
  forbidden_address: {
    message: "The URL's address is not allowed. It must be public.",
    fault: "endpoint",
    retryable: true,
  },
  unresolvable: { message: "The URL's host name has no address.", fault: "endpoint", retryable: true },
  connection_failed: {
    message: "The connection failed, or closed before an HTTP response.",
    fault: "endpoint",
    retryable: true,
  },
  tls_failed: {
    message: "The TLS connection failed, or the certificate is not valid.",
    fault: "endpoint",
    retryable: true,
  },
  timed_out: { message: "The server did not respond in time.", fault: "endpoint", retryable: true },
  redirected: {
    message: "The server responded with a redirect, and redirects are not followed.",
    fault: "endpoint",
    retryable: true,
  },
  bad_status: {
    message: "The server responded with a status outside 200 to 299.",
    fault: "endpoint",
    retryable: true,
  },
  gone: {
    message: "The server responded with 410 Gone. After a delivery, this disables the webhook.",
    fault: "endpoint",
    retryable: false,
  },
  too_many_requests: {
    message: "The server responded with 429 Too Many Requests.",
    fault: "endpoint",
    retryable: true,
  },
  answer_too_long: { message: "The response is longer than 64 KB.", fault: "endpoint", retryable: true },
  answer_broken_off: {
    message: "The connection closed before the end of the response.",
    fault: "endpoint",
    retryable: true,
  },
  interrupted: { message: "A restart of the service interrupted the attempt.", fault: "service", retryable: true },
  webhook_disabled: {
    message: "The webhook was disabled before the delivery.",
    fault: "owner",
    retryable: false,
  },
  not_handed_over: {
    message: "The service could not hand the delivery to its sender.",
    fault: "service",
    retryable: false,
  },
} as const satisfies Record<string, { message: string; fault: "endpoint" | "service" | "owner"; retryable: boolean }>;
export type DeliveryFailure = keyof typeof DELIVERY_FAILURES;
