import {
  formatGroupVersion,
  formatGroupVersionKind,
  type Json,
  type KubeObject,
  tryParseGroupVersion,
} from '@apiserver/apimachinery';
import { stringifyJson } from '@apiserver/apimachinery/codec/json';
import { newInternalError } from '@apiserver/apimachinery/errors';
import { isMembers } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import type { EndpointVersion, RequestScope } from '@apiserver/apiserver-contracts';
import { typeMetaOf } from '@apiserver/webhook/review';
import { applyVersionDefaults } from './apply-version-defaults.js';

/** An object in one of the versions of its resource. */
export interface InVersion {
  readonly version: EndpointVersion;
  readonly object: KubeObject;
}

/** Where a patched object was, and in which version. */
export interface Patched {
  readonly scope: Pick<RequestScope, 'equivalents' | 'kind'>;
  readonly version: EndpointVersion;
  readonly value: Json;
  /** Makes the refusal of a version that the resource does not have. */
  readonly conversionFailure: (message: string) => Error;
}

/**
 * Reads a custom resource after a JSON patch of admission, in steps; undefined for other resources. The patch may have
 * changed its version, which is then that of the result, and its kind, which validation refuses.
 * Upstream: ConvertToVersion of k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/converter.go
 */
export function* patchedCustomResource(patched: Patched): Generator<void, InVersion | undefined> {
  if (patched.version.codec.fromPatchedSteps === undefined) return undefined;
  const version = namedVersion(patched);
  if (version.codec.fromPatchedSteps === undefined) return undefined;
  return { version, object: yield* version.codec.fromPatchedSteps(patched.value) };
}

/** Sets the defaults of the version, unless the object has another kind than that. Mutates. */
export function setPatchedDefaults({ version, object }: InVersion): void {
  if (object.kind === version.kind.kind) applyVersionDefaults(version, object);
}

function namedVersion({ scope, version, value, conversionFailure }: Patched): EndpointVersion {
  const { apiVersion, kind } = ownTypeMeta(value);
  const named = tryParseGroupVersion(apiVersion);
  if (named === undefined || kind === '') {
    throw newInternalError(`Object 'Kind' is missing in '${stringifyJson(value)}'`);
  }
  const own = version.kind;
  if (named.group !== own.group) {
    const from = formatGroupVersionKind({ ...named, kind });
    const target = quote(formatGroupVersion(scope.kind));
    throw conversionFailure(`${from} is unstructured and is not suitable for converting to ${target}`);
  }
  if (named.version === own.version) return version;
  const other = scope.equivalents().find((one) => one.kind.group === named.group && one.kind.version === named.version);
  if (other !== undefined) return other;
  throw conversionFailure(`request to convert CR from an invalid group/version: ${formatGroupVersion(named)}`);
}

/**
 * Other letters in the names are checked for their types only: the object itself has exact names.
 * Upstream: Unstructured
 */
function ownTypeMeta(value: Json): { readonly apiVersion: string; readonly kind: string } {
  typeMetaOf(value);
  const text = (name: 'apiVersion' | 'kind') =>
    isMembers(value) && typeof value[name] === 'string' ? value[name] : '';
  return { apiVersion: text('apiVersion'), kind: text('kind') };
}
