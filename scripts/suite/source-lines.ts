/**
 * A reporter for tests in workerd, which reports positions in the code that vite has made of a file: it turns them into positions in the file. In
 * Node, vitest does so itself. It comes before the reporters that print.
 */
import { SourceMap, type SourceMapPayload } from "node:module";
import type { Reporter, TestModule } from "vitest/node";

/** As vitest hands errors on. */
interface FoundError {
  stack?: string | undefined;
  stacks?: { file: string; line: number; column: number }[] | undefined;
  cause?: unknown;
}
type Place = { line: number; column: number };
type Modules = TestModule["project"]["vite"]["environments"][string]["moduleGraph"];

const IN_WORKERD = new Set(["worker"]);
const FRAME = /(\/[^\s():]+\.ts):(\d+):(\d+)/g;

export default class SourceLines implements Reporter {
  onTestModuleEnd(module: TestModule): void {
    const { name, vite } = module.project;
    const { ssr } = vite.environments;
    if (!IN_WORKERD.has(name) || ssr === undefined) return;
    const errors = [
      ...module.errors(),
      ...[...module.children.allSuites()].flatMap((suite) => suite.errors()),
      ...[...module.children.allTests()].flatMap((one) => one.result().errors ?? []),
    ];
    for (const error of errors) correct(error, ssr.moduleGraph);
  }
}

function correct(error: FoundError, modules: Modules): void {
  error.stack = error.stack?.replaceAll(FRAME, (_frame, file: string, line: string, column: string) => {
    const place = placeIn(modules, file, { line: Number(line), column: Number(column) });
    return `${file}:${place.line}:${place.column}`;
  });
  for (const frame of error.stacks ?? []) Object.assign(frame, placeIn(modules, frame.file, frame));
  if (typeof error.cause === "object" && error.cause !== null) correct(error.cause, modules);
}

/** Both count from 1. */
function placeIn(modules: Modules, file: string, place: Place): Place {
  const map = modules.getModuleById(file)?.transformResult?.map;
  if (map === undefined || map === null || map.mappings === "") return place;
  const entry = new SourceMap(map as SourceMapPayload).findEntry(place.line - 1, place.column - 1);
  if (!("originalLine" in entry)) return place;
  return { line: entry.originalLine + 1, column: entry.originalColumn + 1 };
}
