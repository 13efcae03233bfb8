/** Bodies whose Content-Length is not their length: it counts only where HTTP ends a body by it. */
import { expect, test } from "vitest";
import { readReport } from "../../../src/analytics/beacons/read-report.ts";
import { statedLength } from "../../../src/platform/http/read-bytes.ts";

test.each([
  [{ "content-length": "0" }, 0],
  [{ "content-length": "12" }, 12],
  [{}, null],
  [{ "content-length": "0", "transfer-encoding": "chunked" }, null],
  [{ "content-length": "" }, null],
  [{ "content-length": "-1" }, null],
  [{ "content-length": "1e3" }, null],
  [{ "content-length": "0x10" }, null],
  [{ "content-length": "0, 0" }, null],
])("%j states %s", (headers, length) => {
  expect(statedLength(new Headers(headers as Record<string, string>))).toBe(length);
});

test("a player's report with a length of 0 and endless chunks is read up to the limit", async () => {
  let pulled = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled += 1;
      if (pulled > 100) throw new Error("the report is read without a limit");
      controller.enqueue(new Uint8Array(1024));
    },
  });
  const headers = new Headers({ "content-length": "0", "transfer-encoding": "chunked" });
  expect(await readReport({ body, headers, text: () => new Response(body).text() } as Request, 10_000)).toBeNull();
});
