import { z } from "@hono/zod-openapi";
import { expect, test } from "vitest";
import { changedElsewhere } from "../../../../src/platform/http/hints/changed-elsewhere.ts";
import { later } from "../../../../src/platform/http/hints/later.ts";
import { MAX_UNKNOWN_FIELDS, unknownFields } from "../../../../src/platform/http/hints/unknown-fields.ts";
import { validationProblem } from "../../../../src/platform/http/validation.ts";

const Body = z.object({
  inputs: z.array(
    z.discriminatedUnion("type", [
      z.object({ type: z.literal("video"), url: z.string() }),
      z.object({ type: z.literal("audio"), swapTrackUrl: z.string() }),
    ]),
  ),
  title: z.string().optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  later: z.unknown().optional(),
  settings: z.object({ latencyMode: z.string().default("low") }).prefault({}),
});

test("a field of another kind is unknown in an object whose kind is named", () => {
  const Playlist = z.discriminatedUnion("type", [
    z.object({ type: z.literal("manual") }),
    z.object({ type: z.literal("smart"), playOrder: z.string() }),
  ]);
  const unknownIn = (body: object) => unknownFields(Playlist, body).map(({ message }) => message);
  const message = "unknown field `playOrder` of type `manual`; it belongs to `smart`";
  expect(unknownIn({ type: "manual", playOrder: { createdDate: {} } })).toEqual([message]);
  expect(unknownIn({ type: "smart", playOrder: "x" })).toEqual([]);
  expect(unknownIn({ playOrder: "x" })).toEqual([]); // the kind is missing
});

test.each<[string, unknown, [string, string][]]>([
  ["nothing", { inputs: [], title: "", metadata: { anything: "" }, later: { at: { any: "depth" } } }, []],
  ["a misspelt field", { titel: "x" }, [["titel", "unknown field `titel`; did you mean `title`?"]]],
  ["a field like no other", { colour: "red" }, [["colour", "unknown field `colour`"]]],
  [
    "a field of an element, by its kind",
    {
      inputs: [
        { type: "video", url: "" },
        { type: "audio", uri: "" },
        { type: "video", ulr: "" },
      ],
    },
    [
      ["inputs[1].uri", "unknown field `uri`"],
      ["inputs[2].ulr", "unknown field `ulr`; did you mean `url`?"],
    ],
  ],
  [
    "a field of an element whose kind is missing, if no kind has it",
    { inputs: [{ typ: "video", url: "", swapTrackUrl: "" }] },
    [["inputs[0].typ", "unknown field `typ`; did you mean `type`?"]],
  ],
  [
    "a field that belongs elsewhere",
    { latency_mode: "low" },
    [["latency_mode", "unknown field `latency_mode`; did you mean `settings.latencyMode`?"]],
  ],
  [
    "a field of the top level in an element",
    { inputs: [{ type: "video", url: "", title: "x" }] },
    [["inputs[0].title", "unknown field `title`; `title` belongs at the top level"]],
  ],
  [
    "an object around a field of the top level",
    { wrapper: { title: "x" } },
    [["wrapper", "unknown field `wrapper`; `title` belongs at the top level"]],
  ],
  [
    "names of every object",
    JSON.parse('{"__proto__": 1, "constructor": 2}'),
    [
      ["__proto__", "unknown field `__proto__`"],
      ["constructor", "unknown field `constructor`"],
    ],
  ],
  ["a body that is no object", [1, null], []],
])("%s", (_, body, expected) => {
  expect(unknownFields(Body, body).map(({ field, message }) => [field, message])).toEqual(expected);
});

test("a field of a later release is known, and no misspelt name is taken for it", () => {
  const schema = z.object({ title: z.string(), mp4Support: later(), settings: z.object({ chapters: later() }) });
  expect(unknownFields(schema, { mp4Support: "none" })).toEqual([]);
  const found = unknownFields(schema, { mp4Suport: "none", chapters: [], titel: "x" });
  expect(found.map(({ message }) => message)).toEqual([
    "unknown field `mp4Suport`",
    "unknown field `chapters`",
    "unknown field `titel`; did you mean `title`?",
  ]);
});

test("names at most twenty fields, and cuts long names", () => {
  const name = "n".repeat(1000);
  const body = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`${n}${name}`, 1]));
  const found = unknownFields(Body, body);
  expect(found).toHaveLength(MAX_UNKNOWN_FIELDS);
  expect(Math.max(...found.map(({ message }) => message.length))).toBeLessThan(100);
});

test("a strict object refuses them with the same words", () => {
  const schema = z.object({ events: z.strictObject({ secrets: z.boolean() }) });
  const data = { events: { secrets: true, secret: true } };
  const problem = validationProblem(schema.safeParse(data).error!, { data, schema });
  expect(problem.fields).toEqual([
    { field: "events.secret", message: "is invalid", hint: "unknown field `secret`; did you mean `secrets`?" },
  ]);
});

test("a field that another operation changes is not called unknown: the answer says how it is changed", () => {
  const Update = changedElsewhere(z.object({ title: z.string().optional() }), { policy: "use PATCH /policy" });
  expect(unknownFields(Update, { policy: "private", title: "x" })).toEqual([
    { field: "policy", message: "`policy` does not change here; use PATCH /policy" },
  ]);
});
