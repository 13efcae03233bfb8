/**
 * Creates a workspace with one pair of API credentials: prints the pair once, on standard error, and the SQL that stores it on
 * standard output. Neither the SQL nor the database contains the secret itself.
 *
 *   npx wrangler d1 execute sluice --remote --command "$(node scripts/new-workspace.ts 'My workspace')"
 */
import { createHash, randomBytes, randomUUID } from "node:crypto";

const [name = "Main"] = process.argv.slice(2);
if (name.startsWith("-")) {
  console.error("node scripts/new-workspace.ts [NAME]   prints the SQL of a new workspace, and its credentials once");
  process.exit(name === "--help" ? 0 : 2);
}
const [organisationId, workspaceId, username] = [randomUUID(), randomUUID(), randomUUID()];
const password = randomBytes(32).toString("base64url");
const secretHash = createHash("sha256").update(password).digest("hex");
const now = Date.now();
const text = (value: string) => `'${value.replaceAll("'", "''")}'`;

console.log(
  [
    `INSERT INTO organisations (id, name, created_at) VALUES (${text(organisationId)}, ${text(name)}, ${now});`,
    `INSERT INTO workspaces (id, organisation_id, name, created_at) VALUES (${text(workspaceId)}, ${text(organisationId)}, ${text(name)}, ${now});`,
    `INSERT INTO credentials (id, workspace_id, name, secret_hash, created_at) VALUES (${text(username)}, ${text(workspaceId)}, 'First', ${text(secretHash)}, ${now});`,
  ].join(" "),
);
console.error(
  `workspace  ${workspaceId}\nusername   ${username}\npassword   ${password}\n\nKeep the password now: it is not shown again.`,
);
