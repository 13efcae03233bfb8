import { readdir, readFile } from "node:fs/promises";
import { posix } from "node:path";
import { parseAst } from "rolldown/parseAst";

/** One file of the repository and its references. Paths are relative to the root. */
export interface Module {
  path: string;
  /** Imported files of the repository: static, dynamic and type imports, and re-exports. */
  imports: string[];
  /** All other imports, by specifier: "zod", "cloudflare:workers". */
  packages: string[];
  /** Names of the members it accesses: `get` and `name` of `map.get(key).name`, and `get` of `map["get"]`. */
  memberNames: string[];
  /** Names of the methods that its classes define. */
  methodNames: string[];
  /** Names of the types it uses. Types of bindings are global, so they are not imported. */
  typeNames: string[];
}

/** Every TypeScript module below these folders. */
export async function readModules(folders: readonly string[]): Promise<Module[]> {
  const paths = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(folder, { recursive: true });
      return names.filter((name) => name.endsWith(".ts")).map((name) => posix.join(folder, name));
    }),
  );
  return await Promise.all(
    paths
      .flat()
      .sort()
      .map(async (path) => readModule(path, await readFile(path, "utf8"))),
  );
}

/** @throws {SyntaxError} */
export function readModule(path: string, source: string): Module {
  const specifiers = new Set<string>();
  const memberNames = new Set<string>();
  const methodNames = new Set<string>();
  const typeNames = new Set<string>();
  walk(parseAst(source, { lang: "ts", astType: "ts" }, path), (node) => {
    const specifier = IMPORTING.has(node.type) ? (node["source"] as Literal | null)?.value : undefined;
    if (typeof specifier === "string") specifiers.add(specifier);
    const memberName = node.type === "MemberExpression" ? nameOf(node["property"] as Property) : undefined;
    if (memberName !== undefined) memberNames.add(memberName);
    const methodName = node.type === "MethodDefinition" ? nameOf(node["key"] as Property) : undefined;
    if (methodName !== undefined) methodNames.add(methodName);
    const typeName = node.type === "TSTypeReference" ? (node["typeName"] as { name?: string }).name : undefined;
    if (typeName !== undefined) typeNames.add(typeName);
  });
  const isOurs = (specifier: string) => specifier.startsWith(".");
  return {
    path,
    imports: [...specifiers].filter(isOurs).map((specifier) => posix.join(posix.dirname(path), specifier)),
    packages: [...specifiers].filter((specifier) => !isOurs(specifier)),
    memberNames: [...memberNames],
    methodNames: [...methodNames],
    typeNames: [...typeNames],
  };
}

interface Node {
  type: string;
  [field: string]: unknown;
}
interface Literal {
  value: unknown;
}

interface Property {
  name?: string;
  value?: unknown;
}

const nameOf = ({ name, value }: Property): string | undefined =>
  name ?? (typeof value === "string" ? value : undefined);

const IMPORTING = new Set([
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "ImportExpression",
  "TSImportType",
]);

function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) for (const item of value) walk(item, visit);
  else if (typeof value === "object" && value !== null) {
    if ("type" in value && typeof value.type === "string") visit(value as Node);
    for (const field of Object.values(value)) walk(field, visit);
  }
}
