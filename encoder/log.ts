/** One JSON object a line on stdout. Ids only: a token or a source's address never gets here. */
export function log(
  level: "info" | "warn" | "error",
  message: string,
  fields: Record<string, string | number | boolean> = {},
): void {
  process.stdout.write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })}\n`);
}
