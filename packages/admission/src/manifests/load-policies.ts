import type { KubeObject } from '@apiserver/apimachinery';
import { quote } from '@apiserver/apimachinery/text';
import { byName, loadManifests, STATIC_SUFFIX } from './load-manifests.js';
import type { ManifestKind } from './manifest-environment.js';
import { ManifestError } from './manifest-error.js';
import type { LoadedManifests } from './static-manifests.js';

/** The part of a policy that manifests may not have. */
interface Policy extends KubeObject {
  readonly spec: { readonly paramKind?: object };
}

/** The part of a binding that has rules in manifests. */
interface Binding extends KubeObject {
  readonly spec: { readonly policyName?: string; readonly paramRef?: object };
}

/** Policies of one kind, and their bindings. */
export interface PolicyManifests<P extends Policy, B extends Binding> {
  readonly policies: readonly P[];
  readonly bindings: readonly B[];
}

const SCHEME = 'pkg/admission/plugin/policy/manifest/loader/loader.go:35';

/**
 * Loads the policies of one kind and their bindings. They have no parameters, and each binding has its policy in the
 * folder.
 * Upstream: k8s.io/apiserver/pkg/admission/plugin/policy/manifest/loader
 */
export async function loadPolicies<P extends Policy, B extends Binding>(
  directory: string,
  kind: string,
  kinds: readonly ManifestKind[],
): Promise<LoadedManifests<PolicyManifests<P, B>>> {
  const bindingKind = `${kind}Binding`;
  const { objects, hash } = await loadManifests(directory, {
    kinds: kinds.filter(({ gvk }) => gvk.kind === kind || gvk.kind === bindingKind),
    scheme: SCHEME,
    checkStatic: (object: AnyObject, found) => (found === kind ? checkPolicy(object, kind) : checkBinding(object)),
  });
  const policies = objects.filter((object): object is P => object.kind === kind);
  const bindings = objects.filter((object): object is B => object.kind === bindingKind);
  checkReferences(policies, bindings);
  const manifests = { policies: policies.toSorted(byName), bindings: bindings.toSorted(byName) };
  return { manifests, hash, count: policies.length };
}

type AnyObject = KubeObject & { readonly spec?: Policy['spec'] & Binding['spec'] };

function checkPolicy({ metadata, spec }: AnyObject, kind: string): void {
  if (spec?.paramKind === undefined) return;
  throw new ManifestError(
    `${kind} ${quote(metadata.name ?? '')}: spec.paramKind is not supported for static manifests`,
  );
}

function checkBinding({ metadata, spec }: AnyObject): void {
  const name = quote(metadata.name ?? '');
  const { policyName = '', paramRef } = spec ?? {};
  if (policyName === '') throw new ManifestError(`binding ${name} must reference a policy (spec.policyName)`);
  if (!policyName.endsWith(STATIC_SUFFIX)) {
    throw new ManifestError(
      `binding ${name}: spec.policyName ${quote(policyName)} must end with ${quote(STATIC_SUFFIX)}`,
    );
  }
  if (paramRef !== undefined) {
    throw new ManifestError(`binding ${name}: spec.paramRef is not supported for static manifests`);
  }
}

function checkReferences(policies: readonly Policy[], bindings: readonly Binding[]): void {
  const names = new Set(policies.map(({ metadata }) => metadata.name));
  for (const { metadata, spec } of bindings) {
    if (names.has(spec.policyName)) continue;
    const reference = `references policy ${quote(spec.policyName ?? '')} which does not exist in the manifest directory`;
    throw new ManifestError(`binding ${quote(metadata.name ?? '')} ${reference}`);
  }
}
