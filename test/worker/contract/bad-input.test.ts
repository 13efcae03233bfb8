/** Wrong input for every implemented operation of the published contract: refused with the field's name, never a failure of the Worker. */
import * as fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { type ContractOperation, ERROR_BODY, OPERATIONS } from "../../contract/contract.ts";
import { REQUESTS } from "../../contract/requests.ts";
import {
  type Field,
  fieldsOf,
  isRelated,
  nameOf,
  REQUEST_SCHEMAS,
  valuesBeyond,
  without,
  withValue,
  wrongValues,
} from "../../contract/wrong-bodies.ts";
import { violations } from "../../contract/schema.ts";
import { type ErrorBody, newWorkspace, send, type TestWorkspace } from "../workspace.ts";
import { idsFor, type Made, newMade, pathOf } from "./made.ts";

const SEED = 20_261_122;
const VALUES_PER_FIELD = 6;

const implemented = OPERATIONS.filter(({ operationId }) => operationId in REQUESTS);
const withBodies = implemented.flatMap((operation) => {
  const schema = REQUEST_SCHEMAS[operation.operationId]?.body;
  return schema === undefined ? [] : [{ ...operation, fields: fieldsOf(schema) }];
});

let workspace: TestWorkspace;
let ours: Made;
beforeAll(async () => {
  workspace = await newWorkspace();
  ours = await newMade(workspace);
});

interface Answer {
  success: boolean;
  error?: ErrorBody["error"];
  warnings?: { field: string }[];
}

async function ask(operation: ContractOperation, body: unknown, headers = {}) {
  const made = idsFor(operation, ours);
  const request = REQUESTS[operation.operationId]!(made);
  const path = pathOf(operation, made, request.query);
  const response = await workspace.request(operation.method, path, body, headers);
  const answer = await response.json<Answer>();
  if (!response.ok) expect(violations(ERROR_BODY, answer)).toEqual([]);
  return { status: response.status, headers: response.headers, answer };
}

/** Each has a `referenceId` of its own, because an earlier request may have succeeded. */
function validBody(operation: ContractOperation): unknown {
  const body = REQUESTS[operation.operationId]!(idsFor(operation, ours)).body as object;
  return "referenceId" in body ? { ...body, referenceId: crypto.randomUUID() } : body;
}

/** The valid body with one other value, and the kind of object that the field belongs to. */
function bodyWith(operation: ContractOperation, { path, kind }: Field, value: unknown): unknown {
  const body = validBody(operation);
  return withValue(kind === undefined ? body : withValue(body, kind.path, kind.value), path, value);
}

const namesOf = (problems: { field: string }[] = []) => problems.map(({ field }) => field);

/** A kind of object of a later release is refused by the field that names the kind. */
const isAbout = (name: string, { path, kind }: Field) =>
  isRelated(name, nameOf(path)) || (kind !== undefined && name === nameOf(kind.path));

/** Older texts of the contract have `moderation: true`. */
const isOlder = ({ path }: Field, value: unknown) => path.at(-1) === "moderation" && value === true;

async function expectNamed(operation: ContractOperation, field: Field, value: unknown) {
  const { path } = field;
  fc.pre(!isOlder(field, value));
  const { status, answer } = await ask(operation, bodyWith(operation, field, value));
  const about = status === 422 ? namesOf(answer.error?.fields) : namesOf(answer.warnings);
  const isNamed = about.some((name) => isAbout(name, field));
  const isExpected = status === 422 || (status < 300 && answer.success);
  if (!isExpected || !isNamed)
    throw new Error(`${nameOf(path)} = ${JSON.stringify(value)}: ${status} ${JSON.stringify(answer)}`);
}

describe("a body with one wrong field", () => {
  test.each(withBodies)(
    "of $operationId is refused with its name; a field of a later release is named in a warning",
    async (operation) => {
      expect(operation.fields.length).toBeGreaterThan(0);
      for (const field of operation.fields)
        await fc.assert(
          fc.asyncProperty(wrongValues(field.schema), (value) => expectNamed(operation, field, value)),
          { seed: SEED, numRuns: VALUES_PER_FIELD, endOnFailure: true },
        );
    },
  );
});

/** Fields of media that may be null instead of absent, themselves and inside: most belong to a later release. */
const NULL_IN_MEDIA =
  "drmConfigurationId mp4Support sourceAccess optimizeAudio subtitles summary chapters namedEntities moderation " +
  "introUrl outroUrl expungeSegments segments imposeTracks";
/** Where the API takes more than the contract, by operation: what is wrong, and names of fields. */
const TOLERATED: Record<string, Record<string, string>> = {
  "create-media": {
    null: NULL_IN_MEDIA,
    absent: "accessPolicy languageCode", // they have a default
    "a fraction": "startTime endTime",
  },
  "direct-upload-video-media": { null: NULL_IN_MEDIA, absent: "accessPolicy languageCode" },
  "create-media-playback-id": { null: "drmConfigurationId resolution" },
  "create-new-stream": { null: "drmConfigurationId", absent: "playbackSettings inputMediaSettings" },
};
const isTolerated = ({ operationId }: ContractOperation, { path }: Field, what: string) =>
  path.some((part) => TOLERATED[operationId]?.[what]?.split(" ").includes(String(part)));

describe("a body with one field beyond a bound of the contract, null, or without a required one", () => {
  test.each(withBodies)("of $operationId is refused with its name", async (operation) => {
    for (const field of operation.fields) {
      const beyond = valuesBeyond(field.schema).map(
        ([what, value]) => [what, bodyWith(operation, field, value)] as const,
      );
      const isRequired = field.schema.required === true && field.path.length > 0;
      const absent = isRequired ? [["absent", without(bodyWith(operation, field, "x"), field.path)] as const] : [];
      for (const [what, body] of [...beyond, ...absent]) {
        if (isTolerated(operation, field, what)) continue;
        const { status, answer } = await ask(operation, body);
        const isNamed = namesOf(answer.error?.fields).some((name) => isAbout(name, field));
        expect([nameOf(field.path), what, status, isNamed, answer]).toEqual([
          nameOf(field.path),
          what,
          422,
          true,
          answer,
        ]);
      }
    }
  });
});

/** Texts that have broken parsers, databases, logs and terminals. */
const HOSTILE = [
  "\u0000",
  "a\u0000b",
  "👩‍👩‍👧‍👦 🇩🇪 é",
  "\ud800",
  "\u202eexe.mp4",
  "'; DROP TABLE assets; --",
  '" OR 1=1 --',
  "a\r\nset-cookie: stolen=1",
  "%00%0d%0aset-cookie: stolen=1",
  "<script>alert(1)</script>",
  "${7*7}{{7*7}}",
  "../../../etc/passwd",
  "__proto__",
  "x".repeat(100_000),
];

const textsOf = (fields: Field[]) =>
  fields.filter(({ schema: { type, enum: values } }) => type === "string" && values === undefined);

test.each(withBodies)(
  "hostile texts in $operationId are kept as they are or refused, and reach no header",
  async (operation) => {
    for (const field of textsOf(operation.fields))
      for (const text of HOSTILE) {
        const { status, headers, answer } = await ask(operation, bodyWith(operation, field, text));
        const { path } = field;
        const sent = [operation.operationId, nameOf(path), JSON.stringify(text.slice(0, 40))]; // as JSON, because a half surrogate pair breaks the reporter
        expect([...sent, status < 500]).toEqual([...sent, true]);
        expect([...sent, headers.get("set-cookie")]).toEqual([...sent, null]);
        const kept = keptAt(answer, path);
        if (status < 300 && kept !== undefined)
          expect([...sent, JSON.stringify(kept)]).toEqual([...sent, JSON.stringify(text)]);
      }
  },
);

/** The text as the answer's record has it; undefined = the record does not contain the field. */
function keptAt(answer: Answer, path: Field["path"]): unknown {
  const { data } = answer as { data?: Record<string, unknown> };
  return path.length === 1 && path[0] !== "streamKey" ? data?.[String(path[0])] : undefined;
}

const deep = (open: string, close: string) => open.repeat(10_000) + close.repeat(10_000);
const BODIES: [name: string, body: string | Uint8Array, status: number][] = [
  ["nothing", "", 422],
  ["a broken document", '{"a":', 422],
  ["null", "null", 422],
  ["a text", '"x"', 422],
  ["a list", "[[]]", 422],
  ["a number", "1e999", 422],
  ["bytes that are not UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), 422],
  ["a text in Latin-1", Uint8Array.from('{"title":"caf\u00e9"}', (one) => one.charCodeAt(0)), 422],
  ["10 MB", JSON.stringify({ title: "x".repeat(10_000_000) }), 413],
  ["a member that schemas drop", '{"title":"a","metadata":{"__proto__":"b"}}', 422],
  ["deep lists", deep("[", "]"), 422],
  ["deep objects", deep('{"inputs":', "}").replace(":}", ":1}"), 422],
];

test.each(withBodies)(
  "a body of $operationId that is no JSON object, too large or too deep is refused",
  async (operation) => {
    for (const [name, body, status] of BODIES) {
      const path = pathOf(operation, idsFor(operation, ours));
      const { method } = operation;
      const headers = { authorization: workspace.authorization, "content-type": "application/json" };
      const answer = await send(new Request(`http://sluice.test${path}`, { method, headers, body }));
      expect([name, answer.status]).toEqual([name, status]);
      expect(violations(ERROR_BODY, await answer.json())).toEqual([]);
    }
  },
);

test.each(withBodies)("$operationId refuses a body of another content type", async (operation) => {
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/xml",
  ]) {
    const { status } = await ask(operation, validBody(operation), { "content-type": type });
    expect([type, status]).toEqual([type, 422]);
  }
});

test("of a field that a body has twice, the last one counts, and it is checked", async () => {
  const create = (last: string) =>
    workspace.request(
      "POST",
      "/v1/on-demand",
      `{"inputs":[{"type":"video","url":"https://cdn.test/a.mp4"}],"title":"first","title":${last}}`,
    );
  const taken = await (await create('"last"')).json<{ data: { id: string } }>();
  const media = await (
    await workspace.request("GET", `/v1/on-demand/${taken.data.id}`)
  ).json<{ data: { title: string } }>();
  expect(media.data.title).toBe("last");
  expect((await create("7")).status).toBe(422);
});

/** Ids of the wrong form, of another kind, of another workspace, and texts that are no ids. */
const withIds = implemented.flatMap((operation) =>
  [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => ({ ...operation, parameter: parameter! })),
);

test.each(withIds)("$operationId: a $parameter that is not one of the workspace is 404 or 422", async (operation) => {
  const stranger = await newWorkspace();
  const [made, theirs] = [idsFor(operation, ours), idsFor(operation, await newMade(stranger))];
  const request = REQUESTS[operation.operationId]!(made);
  const check = async (id: string) => {
    const path = pathOf(operation, { ...made, [operation.parameter]: encodeURIComponent(id) }, request.query);
    const { status } = await workspace.request(operation.method, path, request.body);
    // An unknown stream has no clips.
    const allowed = operation.operationId === "list-live-clips" ? [200, 404, 422] : [404, 422];
    expect({ path, status }).toEqual({ path, status: expect.toBeOneOf(allowed) as number });
  };
  const own = made[operation.parameter as keyof Made];
  // An upload's id is that of its media.
  const isMedia = operation.parameter === "mediaId";
  const others = Object.entries(made).flatMap(([name, id]) =>
    id === own || (isMedia && name === "uploadId") ? [] : [id],
  );
  const isName = operation.parameter === "metricId" || operation.parameter === "dimensionsId"; // the same in every workspace
  for (const id of [
    ...others,
    ...(isName ? [] : [theirs[operation.parameter as keyof Made]]),
    ...HOSTILE.filter(isInUrl),
  ])
    await check(id);
  await fc.assert(
    fc.asyncProperty(fc.string({ minLength: 1, maxLength: 40, unit: "grapheme" }).filter(isInUrl), check),
    { seed: SEED, numRuns: 10 },
  );
});

/** A text that is one segment of a path; dot segments are resolved by clients. */
const isInUrl = (text: string) => text.isWellFormed() && text.length < 1000 && text !== "." && text !== "..";

const withQueries = implemented.flatMap((operation) =>
  Object.entries(REQUEST_SCHEMAS[operation.operationId]?.query ?? {})
    .filter(([, { type, enum: values }]) => type === "integer" || values !== undefined)
    .map(([parameter]) => ({ ...operation, parameter })),
);

test.each(withQueries)("$operationId refuses wrong values of $parameter with its name", async (operation) => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ maxLength: 20 }).filter((text) => !/^\s*[\d.eEx+-]*\s*$/.test(text)),
      async (text) => {
        const path = `${pathOf(operation, idsFor(operation, ours))}?${operation.parameter}=${encodeURIComponent(text)}`;
        const response = await workspace.request(operation.method, path);
        const { error } = await response.json<ErrorBody>();
        expect([text, response.status, namesOf(error?.fields)]).toEqual([text, 422, [operation.parameter]]);
      },
    ),
    { seed: SEED, numRuns: 15 },
  );
});
