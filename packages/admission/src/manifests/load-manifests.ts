import { formatGroupVersion, type KubeObject } from '@apiserver/apimachinery';
import { messageOf } from '@apiserver/apimachinery/errors';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { quote } from '@apiserver/apimachinery/text';
import { type DecodedKinds, type DecodedManifest, decodeManifest } from './decode-manifest.js';
import { ManifestError } from './manifest-error.js';
import { readManifestFiles } from './manifest-files.js';

/** The suffix of names that only files may use. */
export const STATIC_SUFFIX = '.static.k8s.io';

/** Input of `loadManifests`. */
export interface LoadManifestsOptions extends DecodedKinds {
  /** Checks the rules that only files have. Throws an Error. */
  checkStatic(object: KubeObject, kind: string, file: string): void;
}

/** Manifests in the order of their files, with `kind` and `apiVersion`. */
interface Manifests {
  readonly objects: readonly KubeObject[];
  readonly hash: string;
}

/**
 * Reads, decodes, defaults and validates the manifests of a folder. Rejects with an Error that has upstream's message.
 * Upstream: LoadManifests and LoadPolicyManifests of k8s.io/apiserver/pkg/admission/plugin
 */
export async function loadManifests(directory: string, options: LoadManifestsOptions): Promise<Manifests> {
  const { documents, hash } = readManifestFiles(directory);
  const objects: KubeObject[] = [];
  const seen = new Map(options.kinds.map(({ gvk }) => [gvk.kind, new Map<string, string>()]));
  for (const { file, text } of documents) {
    try {
      // The first fault counts: the next item of a List is decoded only if there is none.
      for (const decoded of decodeManifest(text, options)) {
        for (const { kind, object } of decoded) await complete(kind, object);
        for (const { kind, object } of decoded) {
          checkName(object.metadata.name ?? '', file, seen.get(kind.gvk.kind));
          options.checkStatic(object, kind.gvk.kind, file);
          objects.push({ ...object, apiVersion: formatGroupVersion(kind.gvk), kind: kind.gvk.kind });
        }
      }
    } catch (error) {
      throw new ManifestError(`error loading ${file}: ${messageOf(error)}`, { cause: error });
    }
  }
  return { objects, hash };
}

/** The order in which manifests are used. */
export function byName({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  return (a.name ?? '') < (b.name ?? '') ? -1 : 1;
}

async function complete(kind: DecodedManifest['kind'], object: KubeObject): Promise<void> {
  kind.applyDefaults(object);
  const errors = await kind.check(object);
  if (errors.length === 0) return;
  throw new ManifestError(`${kind.gvk.kind} ${quote(object.metadata.name ?? '')}: ${aggregateFieldErrors(errors)}`);
}

/** Upstream: ValidateManifestName of k8s.io/apiserver/pkg/admission/plugin/manifest */
function checkName(name: string, file: string, seen: Map<string, string> = new Map()): void {
  if (name === '') throw new ManifestError(`resource in file ${quote(file)} must have a name`);
  if (!name.endsWith(STATIC_SUFFIX)) {
    throw new ManifestError(
      `${quote(name)} in file ${quote(file)} must have a name ending with ${quote(STATIC_SUFFIX)}`,
    );
  }
  const previous = seen.get(name);
  if (previous !== undefined) {
    const where = `(previously seen in ${quote(previous)})`;
    throw new ManifestError(`duplicate name ${quote(name)} found in file ${quote(file)} ${where}`);
  }
  seen.set(name, file);
}
