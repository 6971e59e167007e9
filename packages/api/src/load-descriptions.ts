import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { isMissingFile } from '@apiserver/apimachinery/errors';
import type { GroupVersionEntry } from './group-version-entry.js';

/**
 * The output folder of `npm run build` for descriptions. Resolved by the package's name, because a bundle is in
 * another folder. Undefined where the package is not installed: a program has bundled it, and runs elsewhere.
 */
export const builtFolder = (): URL | undefined => {
  try {
    // A bundler that writes CommonJS may leave import.meta empty.
    const entry = createRequire(import.meta.url ?? __filename).resolve('@apiserver/api');
    return new URL('../dist/descriptions/', pathToFileURL(entry));
  } catch {
    return undefined;
  }
};

/** Returns the description of a definition (`io.k8s.api.core.v1.Pod`), or of a property by JSON name. */
export type Describe = (definition: string, property?: string) => string | undefined;

/**
 * Loads the descriptions of group versions, which only OpenAPI needs. The build takes them from the installed client
 * package; a group version without a file has none. `folder` overrides the folder of the files.
 */
export async function loadDescriptions(
  entries: Iterable<Pick<GroupVersionEntry, 'path'>>,
  folder = builtFolder(),
): Promise<Describe> {
  if (folder === undefined) return () => undefined;
  const files = await Promise.all(
    [...entries].map((entry) => readDescriptions(new URL(`${entry.path.replace('/', '-')}.json`, folder))),
  );
  const all = new Map(files.flatMap((file) => Object.entries(file)));
  return (definition, property = '') => {
    const own = all.get(definition);
    return own !== undefined && Object.hasOwn(own, property) ? own[property] : undefined;
  };
}

async function readDescriptions(file: URL): Promise<Record<string, Record<string, string>>> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (isMissingFile(error)) return {};
    throw error;
  }
}
