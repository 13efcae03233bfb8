import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { WEBHOOKS_PAGE, withTriesTable } from "../../../../scripts/event-docs.ts";
import {
  DISABLED_AFTER_MS,
  MAX_AT_ONCE,
  PROBE_PAUSES_MS,
} from "../../../../src/events/webhooks/sender/endpoint-health.ts";
import { DELIVERY_FAILURES } from "../../../../src/events/webhooks/records/failures.ts";
import { RETRY_DELAYS_MS } from "../../../../src/events/webhooks/sender/retry-schedule.ts";
import { CreateWebhook } from "../../../../src/events/webhooks/endpoints/schemas.ts";
import { importSigningKey, signedHeaders } from "../../../../src/events/webhooks/attempt/signature.ts";
import { signatureVectors } from "../../../support/guide-blocks.ts";
import { bytesOf, SECRET, SIGNED_TEXTS } from "./vectors.ts";

const page = readFileSync(WEBHOOKS_PAGE, "utf8");

describe("docs/guides/webhooks.md", () => {
  test("has the table of tries of the schedule", () => {
    expect(withTriesTable(page), `stale: run "npm run event:docs"`).toBe(page);
    expect(RETRY_DELAYS_MS).toHaveLength(13); // "thirteen times"
  });

  test("has the test vectors of the signatures, and the product computes the same", async () => {
    const { secret, vectors } = signatureVectors(WEBHOOKS_PAGE);
    expect(secret).toBe(SECRET);
    expect(vectors.map(([body]) => body)).toEqual(SIGNED_TEXTS.map(([, text]) => text));
    const keys = [await importSigningKey(SECRET)];
    for (const [body, signature] of vectors) {
      const headers = await signedHeaders({ eventId: "any", body: bytesOf(body), atMs: 0, keys });
      expect(headers["service-signature"]).toBe(signature);
    }
  });

  test("has the sender's values for probes, concurrency and disabling", () => {
    expect(page).toContain(
      `pauses of\n${PROBE_PAUSES_MS[0]! / 1000} s that grow to ${PROBE_PAUSES_MS.at(-1)! / 60_000} min`,
    );
    expect(page).toMatch(new RegExp(`^\\| at once +\\| ${MAX_AT_ONCE} to one webhook`, "m"));
    expect(DISABLED_AFTER_MS).toBe(5 * 24 * 3_600_000);
  });

  test("explains every failure code, and no unknown one", () => {
    const [, section = ""] = page.split("\n## After a failure\n");
    const explained = [...section.split("\n## ")[0]!.matchAll(/^\| `(\w+)` +\| [^|]+ \|$/gm)].map(([, code]) => code);
    expect(explained).toEqual(Object.keys(DELIVERY_FAILURES));
  });

  test("explains every field that a webhook is created with, and its default", () => {
    const rows = [...page.matchAll(/^\| `(\w+)` +\| [^|]+ \| [^|]+ \|$/gm)].map(([, name]) => name);
    const { skipVerification: _, ...fields } = CreateWebhook.shape;
    expect(rows).toEqual(Object.keys(fields));
    expect(page).toContain('`"skipVerification": true`');
    const defaults = CreateWebhook.parse({ url: "https://app.example.com/hooks/video" });
    expect(defaults).toMatchObject({ eventTypes: ["*"], naming: "service", enabled: true, skipVerification: false });
  });
});
