import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Descriptions } from './model-descriptions.ts';

/**
 * The descriptions that the type declarations of `kubernetes-models` carry as comments, whole and with their lines as
 * they were, those of references too. `folders`: where the declarations lie. Definitions are named as by
 * `commentedName`.
 */
export function readCommentedModels(folders: readonly string[]): ReadonlyMap<string, Descriptions[string]> {
  const declarations = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.d.ts') && !path.startsWith('_schemas'))
      .map((path) => readFileSync(join(folder, path), 'utf8')),
  );
  return new Map(declarations.flatMap(readDeclaration));
}

/** `io.k8s.api.core.v1.Pod` as the package spells it, but for the case. */
export function commentedName(definition: string): string {
  return definition.replace(/[^a-z0-9]/gi, '').toLowerCase();
}

const OWN = /\/\*\*\n((?: \*(?!\/).*\n)+) \*\/\nexport (?:interface|type) /;
const PROPERTIES = /^ {4}\/\*\*\n((?: {5}\*(?!\/).*\n)+) {5}\*\/\n {4}"([^"]+)"\??:/gm;

function readDeclaration(text: string): [string, Record<string, string>][] {
  const [, name] = /^export type \{.*\bI(IoK8s\w+)/m.exec(text) ?? [];
  if (name === undefined) return [];
  const own = OWN.exec(text)?.[1];
  const properties = [...text.matchAll(PROPERTIES)].flatMap(([, comment = '', property = '']) =>
    described(property, commentText(comment)),
  );
  return [
    [name.toLowerCase(), { ...(own !== undefined && { '': commentText(own) }), ...Object.fromEntries(properties) }],
  ];
}

/** A property and, as one of its own, what stands behind its description of an enum's values. */
function described(property: string, text: string): [string, string][] {
  const values = /\n*Possible enum values:\n(?: - .*(?:\n|$))+$/.exec(text)?.[0];
  if (values === undefined) return [[property, text]];
  return [
    [property, text.slice(0, -values.length)],
    [`${property}#values`, values],
  ];
}

/** Without stars, escapes, and what the package's generator adds. */
function commentText(comment: string): string {
  return comment
    .replace(/^\s*\* ?/gm, '')
    .trim()
    .replace(/\n@deprecated$/, '')
    .replace(/\\([*_/[\]<>`~|#@{}])/g, '$1')
    .trim();
}
