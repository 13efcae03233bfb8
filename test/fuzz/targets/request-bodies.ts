import * as fc from "fast-check";
import { Heartbeat, JobFailure, JobResult } from "../../../protocol/jobs.ts";
import { CreateAsset, UpdateAsset } from "../../../src/library/assets/schemas.ts";
import { API_JSON, exceededBound } from "../../../src/platform/http/json-bounds.ts";
import { validationProblem } from "../../../src/platform/http/validation.ts";
import { MAX_UNKNOWN_FIELDS, unknownFields } from "../../../src/platform/http/hints/unknown-fields.ts";
import { CreateStream, CreateTarget, UpdateStream } from "../../../src/live/streams/schemas.ts";
import { CreateWebhook, UpdateWebhook } from "../../../src/events/webhooks/endpoints/schemas.ts";
import type { FuzzTarget } from "../target.ts";

const SCHEMAS = [
  CreateAsset,
  UpdateAsset,
  CreateStream,
  UpdateStream,
  CreateTarget,
  CreateWebhook,
  UpdateWebhook,
  Heartbeat,
  JobFailure,
  JobResult,
];
const FIELDS =
  "inputs type url accessPolicy metadata title subtitles summary chapters accessRestrictions domains allow maxResolution mediaQuality name events secret headers kind facts video renditions segments keyframes __proto__ constructor".split(
    " ",
  );

const leaf = fc.oneof(
  fc.constantFrom(null, true, false, 0, -1, 1e308, "video", "public", "https://cdn.test/a.mp4", ""),
  fc.integer(),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ maxLength: 30 }).map((text) => `${text}{"[[\\"`),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.array(tie("value"), { maxLength: 5 }),
    fc
      .array(fc.tuple(fc.oneof(fc.constantFrom(...FIELDS), fc.string({ maxLength: 20 })), tie("value")), {
        maxLength: 8,
      })
      .map((pairs) => new Object(Object.fromEntries(pairs))),
  ),
}));
/** A value at a nesting depth. */
const wrapped = fc
  .tuple(value, fc.oneof(fc.nat({ max: 40 }), fc.constantFrom(31, 32, 33, 20_000)), fc.boolean())
  .map(([inner, levels, inObjects]) => {
    const [open, close] = inObjects ? ['{"subtitles":', "}"] : ["[", "]"];
    return open.repeat(levels) + JSON.stringify(inner) + close.repeat(levels);
  });
const flat = fc
  .tuple(fc.constantFrom(9998, 9999, 10_000, 10_001, 60_000), fc.constantFrom("1", '"a"', "[]", "{}"))
  .map(([count, item]) => `{"inputs":[${`${item},`.repeat(count)}1]}`);
const damaged = fc
  .tuple(wrapped, fc.nat({ max: 200 }), fc.string({ maxLength: 4 }))
  .map(([text, at, more]) => text.slice(0, at) + more + text.slice(at));

/** Depth and number of values of a parsed body, counted independently of the product and without recursion. */
function measure(parsed: unknown): { depth: number; values: number } {
  let [depth, values] = [0, 0];
  const open: [unknown, number][] = [[parsed, 1]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, level] = next;
    if (typeof node !== "object" || node === null) continue;
    const inner = Object.values(node) as unknown[];
    depth = Math.max(depth, level);
    values += inner.length;
    for (const child of inner) open.push([child, level + 1]);
  }
  return { depth, values };
}

/** A body that is accepted is within the bounds, and no schema throws on it. Refusals by a schema have the contract's form. */
export default {
  name: "request-bodies",
  arbitrary: fc.oneof(wrapped, damaged, flat, fc.string({ unit: "binary", maxLength: 300 })),
  run(text) {
    const exceeded = exceededBound(text, API_JSON);
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch {
      return;
    }
    const { depth, values } = measure(parsed);
    if (exceeded !== null) {
      const isForbidden = text.includes("k".repeat(1000)) || text.includes('"__proto__"');
      if (depth <= API_JSON.maxDepth && values * 2 + depth < API_JSON.maxValues && !isForbidden)
        throw new Error(`refused within its bounds: ${exceeded}`);
      return;
    }
    if (depth > API_JSON.maxDepth || values > 2 * API_JSON.maxValues) throw new Error("let pass beyond its bounds");
    for (const schema of SCHEMAS) {
      const result = schema.safeParse(parsed);
      if (!result.success && validationProblem(result.error, { data: parsed, schema }).fields.length === 0)
        throw new Error("refused without a field");
      if (unknownFields(schema, parsed).length > MAX_UNKNOWN_FIELDS) throw new Error("too many warnings");
    }
  },
} satisfies FuzzTarget<string>;
