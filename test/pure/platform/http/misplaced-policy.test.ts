import { z } from "@hono/zod-openapi";
import { expect, test } from "vitest";
import { requirePolicyInPlace } from "../../../../src/platform/http/misplaced-policy.ts";

const Body = z.object({
  accessPolicy: z.string().optional(),
  mediaQuality: z.string().optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  inputs: z.array(z.object({ url: z.string() })).optional(),
});
const check = (body: unknown) => requirePolicyInPlace(Body, body);

const unknown = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`unknown${index}`, 1]));

test.each([
  ["misspelt", { accesPolicy: "private" }],
  ["misspelt in its last word", { accessPolcy: "private" }],
  ["in another spelling", { access_policy: "drm" }],
  ["in an object that is not known", { playbackSettings: { accessPolicy: "private" } }],
  ["in an element of a list", { inputs: [{ url: "", accessPolicy: "private" }] }],
  ["one of domains", { domains: { defaultpolicy: "deny", allow: ["example.com"] } }],
  ["a list of those who may not", { userAgents: { deny: ["curl"] } }],
  ["another service's flag", { private: true }],
  ["another service's word", { visibility: "unlisted" }],
  ["another service's list", { playback_policy: ["signed"] }],
  ["after many unknown fields", { ...unknown, mediaPolicy: "private" }],
])("a policy that is not public is refused where it is %s", (_, body) => {
  expect(() => check(body)).toThrow(/validation failed/);
});

test.each([
  ["in its place", { accessPolicy: "private" }],
  ["public", { playbackSettings: { accessPolicy: "public" }, mediaPolicy: "public" }],
  ["an entry of metadata", { metadata: { accessPolicy: "private" } }],
  ["public in another service's words", { private: false, visibility: "public", playback_policy: ["public"] }],
  ["open to all", { domains: { defaultPolicy: "allow", allow: [], deny: [] } }],
  ["no text", { mediaPolicy: null, accesPolicy: 1 }],
])("a policy is accepted where it is %s", (_, body) => {
  expect(() => check(body)).not.toThrow();
});

test("what else is wrong is named beside it", () => {
  const refused = () => check({ mediaQuality: 5, accesPolicy: "private", mediaQualty: "x" });
  expect(refused).toThrow(
    expect.objectContaining({
      fields: [
        expect.objectContaining({ field: "mediaQuality" }),
        {
          field: "accesPolicy",
          message: "is invalid",
          hint: "unknown field `accesPolicy`; did you mean `accessPolicy`?",
        },
      ],
      unknown: [expect.objectContaining({ field: "mediaQualty" })],
    }) as Error,
  );
});

test("a policy of another service is answered with the field's name here", () => {
  const hint =
    "unknown field `private`; who may play is said by `accessPolicy` of a media or stream, and by `defaultPolicy` of a playback ID's rules";
  const fields = [{ field: "private", message: "is invalid", hint }];
  expect(() => check({ private: true })).toThrow(expect.objectContaining({ fields }) as Error);
});

test("a body with very deep unknown fields does not end the Worker", () => {
  const deep = JSON.parse(`{"x":${'{"x":'.repeat(50_000)}{"accessPolicy":"private"}${"}".repeat(50_000)}}`) as unknown;
  expect(() => check(deep)).not.toThrow();
});
