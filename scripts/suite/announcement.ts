/** More paths make a line that nobody reads. */
const MAX_NAMED = 5;

/** What a project's run says when it begins. @param files null = those of the tier */
export function announcement(project: string, files: readonly string[] | null): string {
  if (files !== null && files.length <= MAX_NAMED) return `… ${project} tests begin: ${files.join(" ")}`;
  const begun = files === null ? `${project} tests` : `${files.length} ${project} test files`;
  return `… ${begun} begin; their output comes when all have ended`;
}
