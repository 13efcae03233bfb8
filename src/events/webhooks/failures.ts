/**
 * Every way in which an attempt to deliver can fail. Closed: the delivery log knows no other.
 *
 * `message` is for the webhook's owner. `fault` says what the failure tells about: the endpoint (it counts toward
 * pausing and disabling it), us, or what the owner decided. `retryable`: the delivery is tried again.
 */
export const DELIVERY_FAILURES = {
  forbidden_address: {
    message: "The URL's address is not allowed: only public addresses are sent to.",
    fault: "endpoint",
    retryable: true,
  },
  unresolvable: { message: "The URL's host name has no address.", fault: "endpoint", retryable: true },
  connection_failed: {
    message: "The server could not be connected to, or hung up without an answer in HTTP.",
    fault: "endpoint",
    retryable: true,
  },
  tls_failed: {
    message: "The server offers no TLS connection with a valid certificate.",
    fault: "endpoint",
    retryable: true,
  },
  timed_out: { message: "The server took too long to answer.", fault: "endpoint", retryable: true },
  redirected: {
    message: "The server answered with a redirect; redirects are not followed.",
    fault: "endpoint",
    retryable: true,
  },
  bad_status: {
    message: "The server answered with a status other than 200 to 299.",
    fault: "endpoint",
    retryable: true,
  },
  gone: {
    message: "The server says that the endpoint is gone for good; the webhook is disabled.",
    fault: "endpoint",
    retryable: false,
  },
  too_many_requests: { message: "The server asks for fewer requests.", fault: "endpoint", retryable: true },
  answer_too_long: { message: "The answer is longer than 64 KB.", fault: "endpoint", retryable: true },
  answer_broken_off: { message: "The connection broke before the answer's end.", fault: "endpoint", retryable: true },
  interrupted: { message: "The attempt was cut short by a restart on our side.", fault: "service", retryable: true },
  webhook_disabled: {
    message: "The webhook was disabled before the delivery was made.",
    fault: "owner",
    retryable: false,
  },
  not_handed_over: {
    message: "The delivery could not be handed to its sender on our side.",
    fault: "service",
    retryable: false,
  },
} as const satisfies Record<string, { message: string; fault: "endpoint" | "service" | "owner"; retryable: boolean }>;
export type DeliveryFailure = keyof typeof DELIVERY_FAILURES;
