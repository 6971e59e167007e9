import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { GroupVersionEntry } from './group-version-entry.js';

/** Where `npm run build` puts the descriptions. Found by the package's name, because a bundle lies somewhere else. */
export const builtFolder = () => {
  const entry = createRequire(import.meta.url).resolve('@apiserver/api');
  return new URL('../dist/descriptions/', pathToFileURL(entry));
};

/** Finds the description of a definition (`io.k8s.api.core.v1.Pod`), or of one of its properties by JSON name. */
export type Describe = (definition: string, property?: string) => string | undefined;

/**
 * Loads the descriptions of group versions, which only OpenAPI needs. They come from the client package that was installed
 * at build time; a group version without a file has none. `folder` is where they lie if not in this package.
 */
export async function loadDescriptions(
  entries: Iterable<Pick<GroupVersionEntry, 'path'>>,
  folder: URL = builtFolder(),
): Promise<Describe> {
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
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
}
