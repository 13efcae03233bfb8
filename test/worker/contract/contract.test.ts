/** Every implemented operation of the published REST contract (`test/contract/rest.json`): statuses, envelopes, fields, formats and errors. */
import { describe, expect, test } from "vitest";
import { type ContractOperation, ERROR_BODY, ERROR_MESSAGES, OPERATIONS } from "../../contract/contract.ts";
import contractPage from "../../../docs/contract.md?raw";
import { apiDocument } from "../../../src/api-document.ts";
import { createApp } from "../../../src/app.ts";
import { contractTable } from "../../contract/table.ts";
import { idViolations } from "../../contract/ids.ts";
import { type Made, REQUESTS } from "../../contract/requests.ts";
import { violations } from "../../contract/schema.ts";
import { goLive, newStream } from "../live/live-helpers.ts";
import { newWorkspace, videoFrom } from "../workspace.ts";
import { idsFor, newMade, pathOf, SOME_UUID } from "./made.ts";

const implemented = OPERATIONS.filter(({ operationId }) => operationId in REQUESTS);
const SOME_HEX = "61a264dcc447b63da6fb79ef925cd76d";
const IS_HEX = new Set(["streamId", "livestreamId", "simulcastId"]);

/** Parameters of a closed set. */
const IS_NAME = new Set(["metricId", "dimensionsId"]);

const unknownIds = (made: Made): Made =>
  Object.fromEntries(
    Object.entries(made).map(([name, id]) => {
      if (IS_NAME.has(name)) return [name, id];
      return [name, IS_HEX.has(name) ? SOME_HEX : SOME_UUID];
    }),
  ) as unknown as Made;

/** A workspace whose records are as the operation's request needs them. */
async function prepare(operation: ContractOperation) {
  const workspace = await newWorkspace();
  const made = idsFor(operation, await newMade(workspace));
  const request = REQUESTS[operation.operationId]!(made);
  const { stream, isListed, isSummarised } = request;
  if (stream === "on air") {
    const onAir = await newStream(workspace);
    await goLive(onAir);
    made.streamId = onAir.streamId;
  }
  if (stream === "disabled") await workspace.request("PUT", `/v1/live/streams/${made.streamId}/live-disable`);
  const path = `/v1/on-demand/playlists/${made.playlistId}/media`;
  if (isListed) await workspace.request("PATCH", path, { mediaIds: [made.mediaId] });
  if (isSummarised) await workspace.request("PATCH", `/v1/on-demand/${made.mediaId}/summary`, { generate: true });
  return { workspace, made, request };
}

const parametersOf = ({ path }: ContractOperation) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

/** Each time those of another client: failed logins are counted by address and by credential. */
let clients = 0;
const wrongCredentials = () => ({
  authorization: `Basic ${btoa(`${crypto.randomUUID()}:wrong`)}`,
  "cf-connecting-ip": `198.18.0.${(clients += 1)}`,
});

async function errorOf(response: Response) {
  const body = await response.json<{ error: { code: number; message: string; fields?: { field: string }[] } }>();
  expect(violations(ERROR_BODY, body)).toEqual([]);
  expect(body.error.code).toBe(response.status);
  return body.error;
}

describe("an operation of the contract", () => {
  test.each(implemented)(
    "$operationId succeeds with its one status, and an answer of its schema",
    async (operation) => {
      const { workspace, made, request } = await prepare(operation);
      const path = pathOf(operation, made, request.query);
      const response = await workspace.request(operation.method, path, request.body);
      const [[status, schema]] = Object.entries(operation.success) as [[string, (typeof operation.success)[string]]];
      expect(String(response.status)).toBe(status);
      expect(response.headers.get("content-type")).toBe("application/json;charset=UTF-8");
      const answer = await response.json<{ success: boolean; data?: object | object[]; warnings?: unknown }>();
      expect(answer.success).toBe(true);
      expect(answer.warnings).toBeUndefined();
      expect([...violations(schema, answer), ...idViolations(answer)]).toEqual([]);
      const records = [answer.data ?? {}].flat();
      for (const record of records) expect((request.fields ?? []).filter((name) => !(name in record))).toEqual([]);
      if (request.fields !== undefined) expect(records.length).toBeGreaterThan(0);
    },
  );

  test.each(implemented)("$operationId refuses wrong and absent credentials with 401", async (operation) => {
    const [workspace, made] = [await newWorkspace(), unknownIds({} as Made)];
    for (const headers of [{ authorization: "" }, wrongCredentials()]) {
      const answer = await workspace.request(operation.method, pathOf(operation, made), undefined, headers);
      expect([answer.status, (await errorOf(answer)).message]).toEqual([401, "unauthorized"]);
    }
  });

  const withIds = implemented.filter((operation) => parametersOf(operation).length > 0);
  test.each(withIds)(
    "$operationId answers unknown ids with 404, malformed ones with a 422 that names them",
    async (operation) => {
      const { workspace, made } = await prepare(operation);
      const nobodys = unknownIds(made);
      const { body, query } = REQUESTS[operation.operationId]!(nobodys);
      const unknown = await workspace.request(operation.method, pathOf(operation, nobodys, query), body);
      // An unknown stream has no clips, and names have no unknown ids.
      const isList = parametersOf(operation).every((name) => IS_NAME.has(name));
      if (isList || operation.operationId === "list-live-clips") expect(unknown.status).toBe(200);
      else {
        expect(unknown.status).toBe(404);
        // The contract lists the message for DRM configurations with 400, and an unknown id is 404.
        const messages = [...ERROR_MESSAGES["404"]!, "DRM ID does not exist"];
        expect(messages).toContain((await errorOf(unknown)).message);
      }
      for (const parameter of parametersOf(operation)) {
        const path = pathOf(operation, { ...made, [parameter]: "nonsense" }, query);
        const malformed = await workspace.request(operation.method, path, body);
        expect(malformed.status).toBe(422);
        const { message, fields } = await errorOf(malformed);
        expect([message, fields!.map(({ field }) => field)]).toEqual(["payload validation failed", [parameter]]);
      }
    },
  );
});

test("the oldest clients' paths lead to the same operations", async () => {
  const workspace = await newWorkspace();
  const { mediaId, streamId } = await newMade(workspace);
  for (const [alias, canonical] of [
    [`/v1/live/on-demand/${mediaId}`, `/v1/on-demand/${mediaId}`],
    ["/v1/live/on-demand?limit=1", "/v1/on-demand?limit=1"],
    [`/v1/streams/${streamId}`, `/v1/live/streams/${streamId}`],
    ["/v1/streams", "/v1/live/streams"],
  ]) {
    const [one, other] = [await workspace.request("GET", alias!), await workspace.request("GET", canonical!)];
    expect([one.status, await one.text()]).toEqual([200, await other.text()]);
  }
  const created = await workspace.request("POST", "/v1/live/on-demand", videoFrom("https://cdn.test/c.mp4"));
  expect(created.status).toBe(201);
  expect((await workspace.request("GET", "/v1/streamsandmore")).status).toBe(404);
});

test("a credential check answers 200 or 401", async () => {
  const workspace = await newWorkspace();
  const path = "/v1/iam/auth/verify-basic";
  const valid = await workspace.request("POST", path);
  expect([valid.status, await valid.json()]).toEqual([200, { success: true }]);
  expect((await workspace.request("POST", path, undefined, wrongCredentials())).status).toBe(401);
});

test("docs/contract.md lists the operations that are implemented and checked", () => {
  const served = new Set(
    Object.values(apiDocument(createApp(), "http://sluice.test").paths ?? {}).flatMap((path) =>
      Object.values(path as Record<string, { operationId?: string }>).map(({ operationId }) => operationId),
    ),
  );
  const table = contractTable(
    OPERATIONS,
    ({ operationId }) => served.has(operationId),
    ({ operationId }) => operationId in REQUESTS,
  );
  const cells = (text: string) =>
    [...text.matchAll(/^\| `.*$/gm)].map(([row]) => row.split("|").map((cell) => cell.trim()));
  expect(cells(contractPage), 'stale: run "npm run contract:page"').toEqual(cells(table));
  const unchecked = [...served].filter(
    (id) => OPERATIONS.some((one) => one.operationId === id) && !((id ?? "") in REQUESTS),
  );
  expect(unchecked).toEqual([]);
});
