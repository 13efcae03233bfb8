/** `npm run contract:page`: renews the table of docs/contract.md. A test fails when it is stale. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OPERATIONS } from "../test/contract/contract.ts";
import { REQUESTS } from "../test/contract/requests.ts";
import { contractTable } from "../test/contract/table.ts";
import { readDocument } from "./api-types/read-document.ts";

const PAGE = "docs/contract.md";
const folder = mkdtempSync(join(tmpdir(), "sluice-contract-"));
try {
  const { paths } = (await readDocument(folder)) as { paths: Record<string, Record<string, { operationId: string }>> };
  const served = new Set(
    Object.values(paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId)),
  );
  const table = contractTable(
    OPERATIONS,
    ({ operationId }) => served.has(operationId),
    ({ operationId }) => operationId in REQUESTS,
  );
  const [head] = readFileSync(PAGE, "utf8").split("\n| ");
  writeFileSync(PAGE, `${head}\n${table}\n`);
  execFileSync("oxfmt", [PAGE], { stdio: "inherit" });
} finally {
  rmSync(folder, { recursive: true });
}
