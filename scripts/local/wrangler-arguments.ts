/** Preloaded by the wrangler of `wrangler-host.ts`: its arguments that have secrets. Every user of the machine can read a command line. */
const given = process.env["SLUICE_WRANGLER_ARGUMENTS"];
if (given !== undefined) process.argv.push(...(JSON.parse(given) as string[]));
delete process.env["SLUICE_WRANGLER_ARGUMENTS"];
