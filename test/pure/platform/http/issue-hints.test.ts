import { z } from "@hono/zod-openapi";
import { describe, expect, test } from "vitest";
import { pattern } from "../../../../src/platform/http/fields.ts";
import { Instant } from "../../../../src/platform/http/instant.ts";
import { hinted } from "../../../../src/platform/http/hints/issue-hints.ts";
import { later, markLater } from "../../../../src/platform/http/hints/later.ts";
import { unknownFields } from "../../../../src/platform/http/hints/unknown-fields.ts";
import { problemResponse } from "../../../../src/platform/http/problems.ts";
import { validationProblem } from "../../../../src/platform/http/validation.ts";

interface Refusal {
  error: { fields: { field: string; message: string }[]; hints: { field: string; message: string }[] };
}

/** The fields and hints with which a value is refused. */
async function refused(schema: z.ZodType, data: unknown): Promise<Refusal["error"]> {
  const { error } = schema.safeParse(data);
  return (await problemResponse(validationProblem(error!, { data, schema })).json<Refusal>()).error;
}

const VIDEO = z.object({ type: z.literal("video"), url: z.string().min(1) });
const AUDIO = z.object({ type: z.literal("audio"), swap: z.boolean() });
const SWITCH = z.object({ it: z.union([z.literal(false), z.preprocess((value) => value, AUDIO.partial())]) });

test("an object that can only be one option of a union is judged as that one", async () => {
  expect(await refused(SWITCH, { it: { swap: "yes" } })).toMatchObject({
    hints: [{ field: "it.swap", message: "must be `true` or `false`" }],
  });
  expect(await refused(SWITCH, { it: 5 })).toMatchObject({ hints: [{ field: "it" }] });
  expect(unknownFields(SWITCH, { it: { swpa: true } })).toMatchObject([
    { field: "it.swpa", message: "unknown field `swpa`; did you mean `swap`?" },
  ]);
});

const CASES: [string, z.ZodType, unknown, string][] = [
  ["a missing field", z.string(), undefined, "is required"],
  ["a date of no calendar", z.iso.date(), "2024-13-45", "must be a date, YYYY-MM-DD"],
  ["null", z.string().min(1), null, "must be a string of at least 1 character"],
  ["another type", z.string().max(255), 7, "must be a string of up to 255 characters"],
  ["a string that is too long", z.string().max(3), "four", "must be a string of up to 3 characters"],
  ["an empty string", z.string().min(1).max(1024), "", "must be a string of 1 to 1024 characters"],
  ["a number in text", z.int().min(1).max(100), "7", "must be an integer from 1 to 100"],
  ["a fraction", z.int().min(1).max(100), 1.5, "must be an integer from 1 to 100"],
  ["a number above the range", z.coerce.number().int().min(1).max(50), "51", "must be an integer from 1 to 50"],
  ["a number that is none", z.coerce.number().int().min(1).max(50), "x", "must be an integer from 1 to 50"],
  ["any integer", z.int(), "x", "must be an integer"],
  ["a number without an upper bound", z.number().min(0), -1, "must be a number of at least 0"],
  ["a number without a lower bound", z.number().max(9), 10, "must be a number up to 9"],
  ["a number that must be positive", z.number().positive().max(10), 0, "must be a number above 0, up to 10"],
  ["a boolean in text", z.boolean(), "yes", "must be `true` or `false`"],
  ["a value outside an enumeration", z.enum(["public", "drm"]), "open", "must be one of `public`, `drm`"],
  ["a value that is not the only one", z.literal("video"), "film", "must be `video`"],
  ["text that is no UUID", z.uuid(), "x", "must be a UUID, for example `7a1e5c94-2f0b-4d68-8c33-91b6e4f7a205`"],
  [
    "text that is no instant",
    Instant,
    "yesterday",
    "must be an ISO 8601 instant with seconds and a UTC offset, for example `2026-05-20T12:50:15.662Z`; in a URL, `+` is written `%2B`",
  ],
  ["text of another form, with words", pattern(/^[0-9a-f]{4}$/, "4 hex digits"), "x", "must be 4 hex digits"],
  ["text of another form", z.string().regex(/^a+$/), "x", "must be a string that matches `^a+$`"],
  ["an array that is too long", z.array(z.string()).min(1).max(2), ["", "", ""], "must be an array of 1 to 2 elements"],
  ["an empty array", z.array(z.string()).min(1), [], "must be an array of at least 1 element"],
  ["an object in place of an array", z.array(z.string()), {}, "must be an array"],
  ["an array in place of an object", z.object({}), [], "must be an object"],
  [
    "a list in place of pairs",
    z.record(z.string(), z.string().max(255)),
    [],
    "must be an object in which each value is a string of up to 255 characters",
  ],
  [
    "neither of two",
    z.union([z.uuid(), pattern(/^0$/, "zero")]),
    "x",
    expect.stringMatching(/^must be a UUID.* or zero$/),
  ],
  ["a default does not matter", z.enum(["asc", "desc"]).default("desc"), "up", "must be one of `asc`, `desc`"],
  ["a later field", later(), true, "is not available yet"],
  ["a rule with a hint", z.string().refine(() => false, hinted("is invalid", "must rhyme")), "x", "must rhyme"],
  ["a rule without one", z.string().refine(() => false, "must rhyme"), "x", "must rhyme"],
];

describe("a hint says what would be right", () => {
  test.each(CASES)("%s", async (_, schema, value, hint) => {
    const { fields, hints } = await refused(z.object({ it: schema }), { it: value });
    expect(fields.map(({ field }) => field)).toEqual(["it"]);
    expect(hints).toEqual([{ field: "it", message: hint }]);
  });

  test("of the name of a pair", async () => {
    const schema = z.object({ pairs: z.record(z.string().min(1).max(3), z.string()) });
    expect((await refused(schema, { pairs: { long: "" } })).hints).toEqual([
      { field: "pairs.long", message: "must have a name that is a string of 1 to 3 characters" },
    ]);
  });

  test("inside a union, by the option that the value names", async () => {
    const schema = z.object({ inputs: z.array(z.discriminatedUnion("type", [VIDEO, AUDIO])) });
    const data = { inputs: [{ type: "video", url: 7 }, { type: "audio" }, { type: "hologram" }, {}] };
    expect((await refused(schema, data)).hints).toEqual([
      { field: "inputs[0].url", message: "must be a string of at least 1 character" },
      { field: "inputs[1].swap", message: "is required" },
      { field: "inputs[2].type", message: "must be `video` or `audio`" },
      { field: "inputs[3].type", message: "is required" },
    ]);
  });

  test("offers no option of a later release", async () => {
    const schema = z.object({ it: z.discriminatedUnion("type", [VIDEO, markLater(AUDIO.clone())]) });
    const hintFor = async (it: unknown) => (await refused(schema, { it })).hints;
    expect(await hintFor({ type: "hologram" })).toEqual([{ field: "it.type", message: "must be `video`" }]);
    expect(await hintFor(7)).toEqual([{ field: "it", message: "must be an object" }]);
    const both = z.object({ it: z.union([z.int(), markLater(z.boolean())]) });
    expect((await refused(both, { it: "x" })).hints).toEqual([{ field: "it", message: "must be an integer" }]);
  });
});

test("hints have the order of the fields, whose messages stay those of the contract", async () => {
  const schema = z.object({ a: z.string(), b: z.object({ c: z.int() }), d: z.string().nullable() });
  expect(await refused(schema, { b: { c: "" }, d: 1 })).toEqual({
    code: 422,
    message: "payload validation failed",
    fields: [
      { field: "a", message: "must not be null" },
      { field: "b.c", message: "is invalid" },
      { field: "d", message: "is invalid" },
    ],
    hints: [
      { field: "a", message: "is required" },
      { field: "b.c", message: "must be an integer" },
      { field: "d", message: "must be a string" },
    ],
  });
});
