import { describe, expect, test } from "vitest";
import { DELIVERY_FAILURES } from "../../../../src/events/webhooks/records/failures.ts";
import { checkWebhookUrl } from "../../../../src/events/webhooks/attempt/webhook-url.ts";

describe("a webhook's URL", () => {
  test.each([
    ["https://hooks.example.com/a?b=c", "https://hooks.example.com/a?b=c"],
    ["https://hooks.example.com:443/", "https://hooks.example.com/"],
    ["https://hooks.example.com:80/", "https://hooks.example.com:80/"],
    ["https://hooks.example.com:1025/", "https://hooks.example.com:1025/"],
    ["https://hooks.example.com:65535/", "https://hooks.example.com:65535/"],
    ["https://hooks.example.com/#fragment", "https://hooks.example.com/"],
  ])("%s is accepted as %s", (text, href) => {
    const checked = checkWebhookUrl(text, false);
    expect(checked.ok && checked.url.href).toBe(href);
  });

  test.each([
    ["http://hooks.example.com/", "must be an https URL"],
    ["ftp://hooks.example.com/", "must be an http or https URL"],
    ["https://hooks.example.com:22/", "must use port 80, 443 or one above 1024"],
    ["https://hooks.example.com:0/", "must use port 80, 443 or one above 1024"],
    ["https://hooks.example.com:1024/", "must use port 80, 443 or one above 1024"],
    ["https://user:pw@hooks.example.com/", "must not carry a user name or password"],
    ["https://10.0.0.1/", "must not point to a private or local address"],
    ["https://[::ffff:169.254.169.254]/", "must not point to a private or local address"],
    ["https://localhost:8443/", "must not point to a private or local address"],
    ["hooks.example.com", "must be an absolute URL"],
    [`https://hooks.example.com/${"a".repeat(2048)}`, "must be at most 2048 characters long"],
  ])("%s is refused: %s", (text, message) => {
    expect(checkWebhookUrl(text, false)).toEqual({ ok: false, message });
  });

  test.each(["http://127.0.0.1:8080/", "http://localhost/", "https://nas.local:8443/", "http://10.0.0.1:80/"])(
    "%s is taken where a private network is allowed",
    (text) => {
      expect(checkWebhookUrl(text, true).ok).toBe(true);
    },
  );

  test.each(["http://127.0.0.1:25/", "ftp://127.0.0.1/", "http://user@127.0.0.1/"])(
    "%s is refused there too",
    (text) => {
      expect(checkWebhookUrl(text, true).ok).toBe(false);
    },
  );
});

describe("the catalogue of failures", () => {
  test.each(Object.entries(DELIVERY_FAILURES))("%s has a message of one sentence", (_, { message }) => {
    expect(message).toMatch(/^[A-Z].*\.$/);
  });

  test("counts the endpoint's faults against it, and not the service's or the owner's", () => {
    const others = Object.entries(DELIVERY_FAILURES).filter(([, { fault }]) => fault !== "endpoint");
    expect(others.map(([reason]) => reason)).toEqual(["interrupted", "webhook_disabled", "not_handed_over"]);
  });
});
