import { z } from "@hono/zod-openapi";
import { expect, test } from "vitest";
import { requireUnderstood } from "../../../../src/platform/http/require-understood.ts";

const Body = z.object({
  accessPolicy: z.string().optional(),
  mediaQuality: z.string().optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  accessRestrictions: z
    .object({
      domains: z.object({
        defaultPolicy: z.string().optional(),
        allow: z.array(z.string()).optional(),
        deny: z.array(z.string()).optional(),
      }),
      userAgents: z.object({}).optional(),
    })
    .optional(),
  inputs: z.array(z.object({ url: z.string() })).optional(),
  isEnabled: z.boolean().default(true),
  enableRecording: z.boolean().default(true),
  enableDvrMode: z.boolean().default(false),
});
const check = (body: unknown) => requireUnderstood(Body, body);

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
  ["another service's word in a list", { playbackPolicy: ["signed"] }],
  ["another service's negation", { public: false }],
  ["a flag for a token", { signed: true }],
  ["a flag for encryption", { encrypted: true }],
  ["a flag for DRM", { drm: true }],
  ["a misspelt list of rules", { accessRestrictions: { domains: { dney: ["evil.test"] } } }],
  ["a foreign list of rules", { accessRestrictions: { domains: { blocked: "evil.test" } } }],
  ["a kind of rules that does not exist", { accessRestrictions: { countries: ["DE"] } }],
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
  ["open to all in another service's flags", { public: true, isPublic: true, drm: false, signed: null }],
  ["open to all beside rules", { accessRestrictions: { domains: { domains: { defaultPolicy: "allow", deny: [] } } } }],
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
  for (const name of ["private", "playbackPolicy", "drm"]) {
    const fields = [{ field: name, message: "is invalid", hint: hint.replace("private", name) }];
    expect(() => check({ [name]: ["signed"] })).toThrow(expect.objectContaining({ fields }) as Error);
  }
});

test("a misspelt list of rules is answered with the list that was meant", () => {
  const domains = { dney: ["evil.test"] };
  const field = "accessRestrictions.domains.dney";
  const fields = [{ field, message: "is invalid", hint: "unknown field `dney`; did you mean `deny`?" }];
  expect(() => check({ accessRestrictions: { domains } })).toThrow(expect.objectContaining({ fields }) as Error);
});

test("a body with very deep unknown fields does not end the Worker", () => {
  const deep = JSON.parse(`{"x":${'{"x":'.repeat(50_000)}{"accessPolicy":"private"}${"}".repeat(50_000)}}`) as unknown;
  expect(() => check(deep)).not.toThrow();
});

test.each([
  ["without its first word", { enabled: false }, "isEnabled"],
  ["without its first word", { recording: false }, "enableRecording"],
  ["as a verb", { record: false }, "enableRecording"],
  ["with a typing error", { enableRecordin: false }, "enableRecording"],
])("a flag that is on by default is not left on when it is switched off %s: %j", (_, body, meant) => {
  const hint = expect.stringContaining(`did you mean \`${meant}\`?`);
  expect(() => check(body)).toThrow(expect.objectContaining({ fields: [expect.objectContaining({ hint })] }));
});

test.each([
  ["switches on what is on", { enabled: true }],
  ["switches off what is off", { dvrMode: false }],
  ["is like no flag", { watermark: false }],
])("an unknown flag is only warned about when it %s", (_, body) => {
  expect(() => check(body)).not.toThrow();
});
