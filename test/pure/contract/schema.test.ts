/** The comparison of answers with the contract finds what is wrong with them. */
import { expect, test } from "vitest";
import { type Schema, violations } from "../../contract/schema.ts";

const schema: Schema = {
  type: "object",
  fields: {
    id: { type: "string", required: true, format: "uuid" },
    at: { type: "string", format: "date-time" },
    kind: { type: "string", enum: ["a", "b"] },
    title: { type: "string", nullable: true },
    parts: { type: "array", items: { type: "object", fields: { n: { type: "integer" } }, additional: false } },
    one: { type: "union", anyOf: [{ type: "string" }, { type: "boolean" }] },
  },
};
const id = "4f649eaa-7940-4b89-9c64-81be638246ab";

test.each<[object, string[]]>([
  [{ id, at: "2026-05-20T12:50:15.662000Z", kind: "b", title: null, parts: [{ n: 1 }], one: true, more: 1 }, []],
  [{}, ["answer.id: is missing"]],
  [{ id: id.toUpperCase() }, [`answer.id: "${id.toUpperCase()}" is not a uuid`]],
  [{ id, at: "2026-05-20T12:50:15Z" }, ['answer.at: "2026-05-20T12:50:15Z" is not a date-time']],
  [{ id, kind: "c" }, ['answer.kind: "c" is not one of a, b']],
  [{ id, kind: null }, ["answer.kind: null"]],
  [
    { id, parts: [{ n: 1.5, m: 2 }] },
    ["answer.parts[0].n: 1.5 is not of type integer", "answer.parts[0].m: is not in the contract"],
  ],
  [{ id, one: 1 }, ["answer.one: 1 is not of type string"]],
])("%j", (answer, expected) => {
  expect(violations(schema, answer)).toEqual(expected);
});
