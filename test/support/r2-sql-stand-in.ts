/**
 * Takes the place of R2 SQL and of a Pipelines stream: executes the very statements on DuckDB, where the functions of R2 SQL are macros, and
 * refuses what R2 SQL's documentation lists as unsupported. Each name in the path has a separate table.
 */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { DuckDBConnection } from "@duckdb/node-api";
import { STREAM_SCHEMA } from "../../src/analytics/store/stream-schema.ts";
import { unsupportedIn } from "./r2-sql-dialect.ts";
import { KEPT_CONNECTIONS } from "./kept-connections.ts";

const STAND_IN_TABLE = "sluice.views";
const STAND_IN_TOKEN = "token of the tests";

const MACROS = ["approx_percentile_cont(x, share) AS approx_quantile(x, share)"];

interface Table {
  connection: DuckDBConnection;
  /** Records that the sink has not written. */
  held: Record<string, unknown>[] | null;
  statements: string[];
}

const COLUMN_TYPES: Record<string, string> = { string: "VARCHAR", float64: "DOUBLE" };

async function createTable(): Promise<Table> {
  const { DuckDBInstance } = await import("@duckdb/node-api"); // a native module, which few tests need
  const connection = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
  for (const macro of MACROS) await connection.run(`CREATE MACRO ${macro}`);
  const columns = STREAM_SCHEMA.fields.map(({ name, type }) => `${name} ${COLUMN_TYPES[type]}`);
  await connection.run(`CREATE SCHEMA sluice; CREATE TABLE ${STAND_IN_TABLE} (${columns.join(", ")})`);
  return { connection, held: null, statements: [] };
}

/** Records that do not fit the schema are dropped, as a pipeline drops them. */
async function write(connection: DuckDBConnection, records: Record<string, unknown>[]): Promise<void> {
  const appender = await connection.createAppender("views", "sluice");
  for (const record of records.filter(fits)) {
    for (const { name, type } of STREAM_SCHEMA.fields) {
      const value = record[name];
      if (value === null || value === undefined) appender.appendNull();
      else if (type === "string") appender.appendVarchar(value as string);
      else appender.appendDouble(value as number);
    }
    appender.endRow();
  }
  appender.closeSync();
}

const fits = (record: Record<string, unknown>): boolean =>
  STREAM_SCHEMA.fields.every(({ name, type, required }) => {
    const value = record[name] ?? null;
    return value === null ? !required : typeof value === (type === "string" ? "string" : "number");
  });

/** A stream takes this much at once. */
const MAX_REQUEST_BYTES = 1_000_000;

async function answerQuery({ connection, statements }: Table, body: string) {
  const { query } = JSON.parse(body) as { query: string };
  statements.push(query);
  const refused = (message: string) => ({ success: false, errors: [{ code: 40_004, message }], messages: [] });
  const unsupported = unsupportedIn(query, STAND_IN_TABLE);
  if (unsupported !== null) return refused(unsupported);
  try {
    const rows = (await connection.runAndReadAll(query)).getRowObjectsJson();
    return { success: true, errors: [], messages: [], result: { rows, schema: [], metrics: {} } };
  } catch (error) {
    return refused(String(error));
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/**
 * `POST /NAME/query` is R2 SQL's, `POST /NAME/stream` the binding's `send`. After `POST /NAME/hold` the sink writes nothing until
 * `POST /NAME/release`; `POST /NAME/forget-one` loses a view, and `GET /NAME/statements` has what was asked.
 */
export async function startR2SqlStandIn(): Promise<{
  origin: string;
  token: string;
  close: () => Promise<void>;
}> {
  const tables = new Map<string, Promise<Table>>();
  const act = async (
    name: string,
    verb: string,
    request: IncomingMessage,
  ): Promise<[status: number, body: unknown]> => {
    const body = await textOf(request);
    if (!tables.has(name)) tables.set(name, createTable());
    const table = await tables.get(name)!;
    if (verb === "query") {
      if (request.headers.authorization !== `Bearer ${STAND_IN_TOKEN}`) return [401, { success: false, errors: [] }];
      return [200, await answerQuery(table, body)];
    }
    if (verb === "stream") {
      if (body.length > MAX_REQUEST_BYTES) return [413, {}];
      const records = JSON.parse(body) as Record<string, unknown>[];
      if (table.held === null) await write(table.connection, records);
      else table.held.push(...records);
    } else if (verb === "hold") table.held = [];
    else if (verb === "release") {
      const held = table.held ?? [];
      table.held = null;
      await write(table.connection, held);
    } else if (verb === "forget-one") {
      const one = `(SELECT view_id FROM ${STAND_IN_TABLE} LIMIT 1)`;
      await table.connection.run(`DELETE FROM ${STAND_IN_TABLE} WHERE view_id IN ${one}`);
    } else if (verb === "statements") return [200, table.statements];
    else return [404, {}];
    return [200, {}];
  };
  const server = createServer(KEPT_CONNECTIONS, (request, response) => {
    const [, name = "", verb = ""] = (request.url ?? "").split("/");
    act(name, verb, request).then(
      ([status, body]) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: STAND_IN_TOKEN,
    close: () => new Promise((closed) => server.close(() => closed())),
  };
}
