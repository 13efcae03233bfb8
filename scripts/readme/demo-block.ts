const [BEGIN, END] = ["<!-- demo output: npm run readme:refresh -->", "<!-- end of demo output -->"];

/** The demo's output for readers: with the default address and without paths of this machine. */
export function asReader(output: string, { origin, home }: { origin: string; home: string }): string {
  return output.replaceAll(origin, "http://127.0.0.1:8787").replaceAll(home, "/path/to/sluice/.sluice");
}

/** @throws {Error} without exactly one pair of markers */
export function withDemoOutput(readme: string, output: string): string {
  const [before, rest, ...others] = readme.split(BEGIN);
  const [, after, ...more] = rest?.split(END) ?? [];
  if (after === undefined || others.length > 0 || more.length > 0)
    throw new Error(`README.md needs the markers "${BEGIN}" and "${END}" once, in this order.`);
  const lines = output.split("\n").map((line) => line.trimEnd());
  return `${before}${BEGIN}\n\n\`\`\`text\n${lines.join("\n").replace(/^\n+|\n+$/g, "")}\n\`\`\`\n\n${END}${after}`;
}
