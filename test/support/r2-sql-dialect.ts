/** What R2 SQL refuses, by its documentation of March 2026, when it had the least. Pure. */

const REFUSED: [RegExp, string][] = [
  [/\bJOIN\b/, "unsupported feature: JOIN operations are not supported"],
  [/\bSELECT\s+DISTINCT\b/, "unsupported feature: SELECT DISTINCT is not supported"],
  [/\(\s*DISTINCT\b/, "unsupported feature: aggregates over DISTINCT"],
  [/\bOFFSET\b/, "unsupported feature: OFFSET clause is not supported"],
  [/\b(?:UNION|INTERSECT|EXCEPT)\b/, "Set operations not supported"],
  [/\bOVER\s*\(|\bWINDOW\b|\bQUALIFY\b/, "unsupported feature: window functions (OVER clause)"],
  [
    /\b(?:INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|COPY|ATTACH|PRAGMA|SET|INSTALL|LOAD)\b/,
    "only read-only queries are allowed",
  ],
  [/\b(?:UNNEST|PIVOT|UNPIVOT|LATERAL|ILIKE)\b/, "not supported"],
  [/;|--|\/\*/, "exactly one statement is allowed"],
];

/** Functions of the documentation that statements may use. Everything else, as `median` and `array_agg`, is refused. */
const FUNCTIONS = new Set([
  "COUNT",
  "SUM",
  "AVG",
  "MIN",
  "MAX",
  "APPROX_PERCENTILE_CONT",
  "APPROX_DISTINCT",
  "COALESCE",
  "FLOOR",
  "LN",
]);
const BEFORE_PARENTHESIS = new Set(["IN", "AS", "AND", "OR", "NOT", "WHERE", "SELECT", "BY", "ON", "THEN", "WHEN"]);

/** @returns the error of R2 SQL; null = it takes the statement */
export function unsupportedIn(statement: string, table: string): string | null {
  // Literals may contain anything. A quote in one is doubled, and nothing else is special.
  const bare = statement.replaceAll(/'(?:[^']|'')*'/g, "''").toUpperCase();
  if (bare.replaceAll("''", "").includes("'")) return "invalid SQL syntax: unterminated string literal";
  if (!/^\s*(?:SELECT|WITH)\b/.test(bare)) return "only read-only queries are allowed";
  for (const [pattern, message] of REFUSED) if (pattern.test(bare)) return message;
  for (const [, word] of bare.matchAll(/\b([A-Z_][A-Z0-9_]*)\s*\(/g))
    if (!FUNCTIONS.has(word!) && !BEFORE_PARENTHESIS.has(word!)) return `unsupported feature: function ${word}`;
  // A common table expression is `NAME AS (SELECT …`; any other SELECT in parentheses is a subquery.
  const withoutExpressions = bare.replaceAll(/\b[A-Z_]+\s+AS\s*\(\s*SELECT\b/g, "");
  if (/\(\s*SELECT\b/.test(withoutExpressions)) return "unsupported feature: subqueries";
  const names = new Set([...bare.matchAll(/\b([A-Z_]+)\s+AS\s*\(\s*SELECT\b/g)].map(([, name]) => name!));
  for (const [, sources] of bare.matchAll(/\bFROM\s+([A-Z0-9_.]+(?:\s*,\s*[A-Z0-9_.]+)*)/g))
    if (sources !== table.toUpperCase() && !names.has(sources!)) return "expected exactly 1 table in FROM clause";
  return null;
}
