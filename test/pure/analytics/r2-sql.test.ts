/** Values of callers in statements of R2 SQL, quantiles of two sources, and the stand-in of the tests. */
import { DuckDBInstance } from "@duckdb/node-api";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergedQuantile, sharesAround } from "../../../src/analytics/engines/merge-quantiles.ts";
import { ALL } from "../../../src/analytics/questions/group-key.ts";
import type { Question } from "../../../src/analytics/questions/view-engine.ts";
import { quantilesStatement } from "../../../src/analytics/engines/r2-statements.ts";
import { literal, storableText } from "../../../src/analytics/r2-sql/literal.ts";
import { unsupportedIn } from "../../support/r2-sql-dialect.ts";

describe("a value of a caller in a statement", () => {
  const ATTACKS = [
    "'",
    "''",
    "\\'",
    "\\\\'",
    "' OR 1 = 1 --",
    "'; DROP TABLE sluice.views; --",
    "/* ' */",
    "' UNION SELECT 1",
    "\0'",
    "\ud800'",
    "$$'$$",
    "E'\\''",
    "\u2019\u02bc\uff07'",
    "\r\n'--",
  ];

  test("is one literal, with any characters", async () => {
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const text = fc.oneof(
      fc.constantFrom(...ATTACKS),
      fc.string({ unit: "binary" }),
      fc
        .array(fc.constantFrom("'", "\\", "-", "/", "*", ";", "\0", '"', "a"), { maxLength: 12 })
        .map((all) => all.join("")),
    );
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        const read = await connection.runAndReadAll(`SELECT ${literal(value)} AS value, 'end' AS after`);
        expect(read.getRowObjectsJson()).toEqual([{ value: storableText(value), after: "end" }]);
      }),
      { numRuns: 500, seed: 5 },
    );
  });

  test("must be a text or a finite number", () => {
    for (const value of [null, undefined, true, {}, ["'"], Number.NaN, Infinity, 1n, { toString: () => "1; DROP" }])
      expect(() => literal(value as never)).toThrow(TypeError);
    expect([literal(0), literal(-1.5), literal(1e21)]).toEqual(["0", "-1.5", "1e+21"]);
  });
});

test("a quantile is within one per cent when most views are known by quantiles only", () => {
  const values = (count: number, from: number) =>
    Array.from({ length: count }, (_, index) => from + ((index * 7919) % 5000));
  const [many, few] = [values(20_000, 100), values(700, 900)];
  const sorted = many.toSorted((one, other) => one - other);
  for (const share of [0.5, 0.95]) {
    const quantiles = sharesAround(share).map((one) => [one, sorted[Math.round(one * (sorted.length - 1))]!] as const);
    const all = [...many, ...few].toSorted((one, other) => one - other);
    const known = new Map(few.map((value) => [value, few.filter((other) => other === value).length]));
    const exact = all[Math.round(share * (all.length - 1))]!;
    expect(Math.abs(mergedQuantile(quantiles, many.length, known, share) / exact - 1)).toBeLessThan(0.01);
    expect(Math.abs(sorted[Math.round(share * (sorted.length - 1))]! / exact - 1)).toBeGreaterThan(0.002);
  }
});

describe("the stand-in of R2 SQL", () => {
  const refused = [
    "SELECT 1 FROM t JOIN u ON 1 = 1",
    "SELECT a FROM t, u",
    "SELECT a FROM u",
    "SELECT a FROM (SELECT a FROM t)",
    "SELECT a FROM t WHERE a IN (SELECT a FROM t)",
    "SELECT sum(a) OVER (PARTITION BY b) FROM t",
    "SELECT DISTINCT a FROM t",
    "SELECT count(DISTINCT a) FROM t",
    "SELECT a FROM t LIMIT 1 OFFSET 2",
    "SELECT a FROM t UNION SELECT a FROM t",
    "DELETE FROM t",
    "SELECT a FROM t; SELECT a FROM t",
    "SELECT median(a) FROM t",
    "SELECT a FROM t -- more",
    "SELECT a FROM t WHERE b = 'x",
  ];
  test.each(refused)("refuses %s", (statement) => {
    expect(unsupportedIn(statement, "t")).toEqual(expect.any(String));
  });

  test("accepts the engine's statements, and any text in literals", () => {
    const question = {
      scope: { fromMs: 0, toMs: 1, filters: [] },
      metric: "playing_time",
      measurement: "median",
      key: ALL,
    } satisfies Question;
    const where = "a = 'JOIN (SELECT DISTINCT; -- '' OFFSET'";
    expect(unsupportedIn(quantilesStatement({ table: "t", where }, question, [0.5]), "t")).toBeNull();
  });
});
