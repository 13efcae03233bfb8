import { describe, expect, test } from "vitest";
import { PartQuery } from "../../../protocol/live.ts";
import { factsOfPart, queryOfPart } from "../../../protocol/part-facts.ts";

const place = { rendition: "v720", msn: 7, part: 3 };
const facts = {
  ...place,
  durationTicks: 45_000,
  decodeTicks: 0,
  isIndependent: true,
  isLast: false,
  capturedAtMs: 1_800_000_000_000.4,
  isDiscontinuous: false,
  initVersion: 2,
};

describe("facts of a live part", () => {
  test("have one form on the wire, which gateways of earlier releases send too", () => {
    expect(queryOfPart(facts, 0).toString()).toBe(
      "ticks=45000&at=0&independent=1&last=0&capturedAt=1800000000000&discontinuity=0&init=2",
    );
    expect(queryOfPart(facts, 12).get("captions")).toBe("12");
  });

  test.each([true, false])("survive the way to the Worker, flags %s", (flag) => {
    const sent = { ...facts, isIndependent: flag, isLast: !flag, isDiscontinuous: flag };
    const query = PartQuery.parse(Object.fromEntries(queryOfPart(sent, 12)));
    expect(query.captions).toBe(12);
    expect(factsOfPart(place, query)).toEqual({ ...sent, capturedAtMs: 1_800_000_000_000 });
  });
});
