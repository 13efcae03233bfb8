import { type MediaAnswer, newWorkspace, videoFrom } from "../../workspace.ts";
import { z } from "@hono/zod-openapi";
import { expect, test } from "vitest";
import { createApp } from "../../../../src/app.ts";
import { internalsOf, unwrapped } from "../../../../src/platform/http/hints/schema-parts.ts";
import { validationProblem } from "../../../../src/platform/http/validation.ts";

interface RouteParts {
  request?: {
    body?: { content: Record<string, { schema: z.ZodType }> };
    query?: z.ZodType;
    params?: z.ZodType;
  };
}
const routes = createApp().openAPIRegistry.definitions.flatMap((one) =>
  one.type === "route" ? [one.route as unknown as RouteParts & { operationId: string }] : [],
);

/** Every schema inside a schema, with its path. */
function parts(schema: z.core.$ZodType, path: string): [string, z.core.$ZodType][] {
  const { def } = internalsOf(unwrapped(schema));
  const inner: [string, z.core.$ZodType][] =
    def.type === "object"
      ? Object.entries(def.shape).map(([name, one]) => [`${path}.${name}`, one])
      : def.type === "array"
        ? [[`${path}[]`, def.element]]
        : def.type === "record"
          ? [[`${path}{}`, def.valueType]]
          : def.type === "union"
            ? def.options.map((one, index) => [`${path}|${index}`, one])
            : [];
  return [[path, schema], ...inner.flatMap(([name, one]) => parts(one, name))];
}

/** Between them, they are refused by every schema, for every reason for which it refuses. */
const WRONG: unknown[] = [
  null,
  true,
  "",
  "x",
  "x".repeat(5000),
  "2026-02-30T10:00:00Z",
  "nothing.*",
  "a*",
  -1,
  0,
  0.5,
  1e12,
  [],
  Array.from({ length: 300 }, () => "x"),
  {},
  { type: "hologram" },
  { ["k".repeat(300)]: "v" },
  { k: "x".repeat(300) },
  Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`k${n}`, "v"])),
];

test("every value that an operation can refuse has a hint that says what would be right", () => {
  const vague: string[] = [];
  const hints = new Set<string>();
  for (const { operationId, request } of routes) {
    const whole = [request?.body?.content["application/json"]?.schema, request?.query, request?.params];
    // The body of a list is read as a stream, row by row, and its schema is none of Zod.
    for (const [path, schema] of whole.flatMap((one) => (one instanceof z.ZodType ? parts(one, operationId) : []))) {
      const field = z.object({ field: schema as z.ZodType });
      for (const data of [{}, ...WRONG.map((value) => ({ field: value }))]) {
        const { error } = field.safeParse(data);
        for (const { message, hint = message } of error
          ? validationProblem(error, { data, schema: field }).fields
          : []) {
          hints.add(hint);
          if (/^is invalid$|^must not be null$|undefined|\[object/.test(hint)) vague.push(`${path}: ${hint}`);
        }
      }
    }
  }
  expect(vague).toEqual([]);
  expect(hints.size).toBeGreaterThan(40);
  for (const hint of hints) expect(hint).toMatch(/^(must |is |unknown field|takes |matches no |names |did not )/); // completes a sentence
});

test.each(["constructor", "toString"])("a field named %s is an unknown one", async (name) => {
  const workspace = await newWorkspace();
  const media = await workspace.request("POST", "/v1/on-demand", videoFrom("https://cdn.test/a.mp4"));
  const { data } = await media.json<MediaAnswer>();
  const changed = await workspace.request("PATCH", `/v1/on-demand/${data.id}`, `{"title":"x","${name}":"y"}`);
  expect(changed.status).toBe(200);
  expect((await changed.json<{ warnings: object[] }>()).warnings).toEqual([
    { field: name, message: `unknown field \`${name}\`` },
  ]);
});

test("a 422 names unknown fields too, because one may be meant to be the missing one", async () => {
  const workspace = await newWorkspace();
  const errorOf = async (body: object) =>
    (
      await (
        await workspace.request("POST", "/v1/on-demand", body)
      ).json<{ error: { fields: object[]; hints: object[] } }>()
    ).error;
  const url = "https://cdn.test/a.mp4";
  const misnamed = await errorOf({ inputs: [{ type: "video", ulr: url }] });
  expect(misnamed.fields).toEqual([{ field: "inputs[0].url", message: "must not be null" }]);
  expect(misnamed.hints).toEqual([
    { field: "inputs[0].url", message: "is required" },
    { field: "inputs[0].ulr", message: "unknown field `ulr`; did you mean `url`?" },
  ]);
  const { hints } = await errorOf({ input: [{ type: "video", url }] });
  expect(hints.at(-1)).toEqual({ field: "input", message: "unknown field `input`; did you mean `inputs`?" });
});
