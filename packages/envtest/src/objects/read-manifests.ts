// An older Node must reach the guard of the entry point: named imports of what it lacks fail before.
import fs, { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '@apiserver/apimachinery/errors';
import { ControlPlaneError } from '@apiserver/test-powers';
import type { Manifest, Manifests } from './manifest.js';
import { manifestsOf, parseManifests } from './manifest-documents.js';

/** The objects of an option of the plane. */
export interface ManifestSource {
  /** The name of the option, for messages. */
  readonly option: string;
  /** Objects of other kinds are skipped in files, and are an error elsewhere. Default: all kinds. */
  readonly accepts?: (manifest: Manifest) => boolean;
  /** The accepted kind, for messages. Default: `object`. */
  readonly noun?: string;
}

const EXTENSIONS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);
/** Files of kustomize lie beside manifests, and have none. */
const KUSTOMIZATION = /^kustomiz(?:ation|econfig)\.ya?ml$|^kustomization$/i;

/**
 * Reads the objects of an option, in the order of the option, of the names of files, and of a file. Throws a
 * ControlPlaneError for a path that cannot be read or has no such object, and for text that is no manifest.
 */
export function readManifests(manifests: Manifests | undefined, source: ManifestSource): readonly Manifest[] {
  if (manifests === undefined) return [];
  if (Array.isArray(manifests)) {
    return manifests.flatMap((each: Manifests, index) =>
      readManifests(each, { ...source, option: `${source.option}[${index}]` }),
    );
  }
  if (manifests instanceof URL) return readPath(fileURLToPath(manifests), source);
  if (typeof manifests === 'string') return readText(manifests, source);
  // As the JSON that a client would send: dates become text, and the caller may change the object later.
  return checked(manifestsOf(JSON.parse(JSON.stringify(manifests)), source.option), source);
}

function readText(text: string, source: ManifestSource): readonly Manifest[] {
  const isText = text.includes('\n') || text.trimStart().startsWith('{');
  return isText ? checked(parseManifests(text, source.option), source) : readPath(text, source);
}

function checked(
  manifests: readonly Manifest[],
  { option, accepts = () => true }: ManifestSource,
): readonly Manifest[] {
  const refused = manifests.find((manifest) => !accepts(manifest));
  if (refused === undefined) return manifests;
  throw new ControlPlaneError(`${option}: a ${refused.object.kind} does not belong here`);
}

function readPath(path: string, source: ManifestSource): readonly Manifest[] {
  const { option, accepts = () => true, noun = 'object' } = source;
  const files = filesAt(path, option);
  const manifests = files.flatMap((file) => parseManifests(readFileSync(file, 'utf8'), file)).filter(accepts);
  if (manifests.length > 0) return manifests;
  throw new ControlPlaneError(`${option}: ${path} has no ${noun}`);
}

/** The file itself, the manifests below a folder, or what a glob matches. */
function filesAt(path: string, option: string): readonly string[] {
  try {
    // With the whole path in its message: a test runner may work in another folder.
    if (!statSync(resolve(path)).isDirectory()) return [path];
    return filesBelow(path);
  } catch (error) {
    const matches = fs.globSync(path).toSorted();
    if (matches.length === 0) throw new ControlPlaneError(`${option}: ${messageOf(error)}`, { cause: error });
    return matches.flatMap((match) => {
      if (statSync(match).isDirectory()) return filesBelow(match);
      return KUSTOMIZATION.test(basename(match)) ? [] : [match];
    });
  }
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && EXTENSIONS.has(extname(entry.name)) && !KUSTOMIZATION.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}
