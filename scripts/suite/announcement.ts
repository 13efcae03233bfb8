/** More paths make a line that nobody reads. */
const MAX_NAMED = 5;

/** What a project's run says when it begins. @param files null = all of the project */
export function announcement(project: string, files: readonly string[] | null): string {
  if (files !== null && files.length <= MAX_NAMED) return `… ${project} tests begin: ${files.join(" ")}`;
  return `… ${files === null ? "all" : files.length} ${project} test files begin; their output comes when all have ended`;
}
