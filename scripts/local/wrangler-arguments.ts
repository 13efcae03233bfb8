/** Preloaded into wrangler by `wrangler-host.ts`: adds the arguments with secrets, because every user of the machine can read a command line. */
const given = process.env["SLUICE_WRANGLER_ARGUMENTS"];
if (given !== undefined) process.argv.push(...(JSON.parse(given) as string[]));
delete process.env["SLUICE_WRANGLER_ARGUMENTS"];
