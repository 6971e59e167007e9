import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Descriptions by definition name, then by property; the definition's own stands under the empty name, what is said of
 * the values of an enum under `PROPERTY#values`.
 */
export type Descriptions = Record<string, Record<string, string>>;

/** The names of the definitions of one generated module. */
export function definitionsOf(moduleText: string): readonly string[] {
  return [...moduleText.matchAll(/\b(?:struct|schemaOr)\(\s*'([^']+)'/g)].map(([, definition = '']) => definition);
}

/** The descriptions of all definitions of one generated module (`core/v1`), as far as the client's models have them. */
export function readModelDescriptions(models: string, path: string, moduleText: string): Descriptions {
  const out: Descriptions = {};
  for (const definition of definitionsOf(moduleText)) {
    const file = modelFile(models, path, definition);
    if (file !== undefined) out[definition] = readModel(file);
  }
  return out;
}

/** The model of a definition: `V1Pod`, or with the group in front where two groups have the same name. */
function modelFile(models: string, path: string, definition: string): string | undefined {
  const [group = '', version = ''] = path.split('/');
  const name = capitalized(version) + definition.slice(definition.lastIndexOf('.') + 1);
  const candidates = [`${capitalized(group)}${name}`, name].map((candidate) => join(models, `${candidate}.d.ts`));
  return candidates.find((candidate) => existsSync(candidate));
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function readModel(file: string): Record<string, string> {
  const text = readFileSync(file, 'utf8');
  const script = readFileSync(file.replace(/\.d\.ts$/, '.js'), 'utf8');
  const jsonNames = new Map(
    [...script.matchAll(/"name": "([^"]+)",\s*"baseName": "([^"]+)"/g)].map(([, name = '', json = '']) => [name, json]),
  );
  const out: Record<string, string> = {};
  const own = /\/\*\*\n([^/]*(?:\/(?!\*\*)[^/]*)*?)\*\/\nexport declare class/.exec(text)?.[1];
  if (own !== undefined) out[''] = commentText(own);
  for (const [, comment = '', name = ''] of text.matchAll(
    / {4}\/\*\*\n((?: {4}\*(?!\/).*\n)+) {4}\*\/\n {4}'([^']+)'\??:/g,
  )) {
    out[jsonNames.get(name) ?? name] = commentText(comment);
  }
  return out;
}

/**
 * The text of a comment, without its stars and the escapes that the client's generator put in. That generator joins
 * lines; two blanks are nearly always what is left of an empty line.
 */
export function commentText(comment: string): string {
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\* ?/, ''));
  return lines
    .join('\n')
    .trim()
    .replace(/\\(['"\\&])/g, '$1')
    .replaceAll('*_/', '*/')
    .replaceAll('  ', '\n\n');
}
