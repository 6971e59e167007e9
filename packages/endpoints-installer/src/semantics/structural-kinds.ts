import { formatGroupVersion, type GroupVersionKind, type KubeObject } from '@apiserver/apimachinery';
import { newInvalid } from '@apiserver/apimachinery/errors';
import { FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { validateValue, validateValueInSteps } from '@apiserver/apimachinery/structured-merge-diff';
import type { KindPolicy } from './kind-policy.js';
import { structuralCborListMeta, structuralListMeta } from './list-meta.js';
import { requiredKind } from './stated-kind.js';

/** The policy of custom kinds: objects are kept as sent, and validation checks their kind. */
export const structuralKinds: KindPolicy = {
  body: {
    statedKind: requiredKind,
    refusesOtherKinds: false,
    patchNeedsKind: true,
    settlePatchedKind: refuseHubVersion,
    // Upstream drops the empty list before it checks for it, so the owners stay.
    // Upstream: SetObjectMeta of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta
    markReset: () => {},
  },
  tracking: {
    emptyObject: (_codec, bare) => bare,
    // The object has not been validated yet.
    checkObject: ({ type, value }) => validateValue(type, value, { allowDuplicates: true }),
    checkObjectInSteps: ({ type, value }) => validateValueInSteps(type, value, { allowDuplicates: true }),
    decoded: (_codec, value) => value,
    resetsOtherVersions: false,
    // The other version prunes only when it stores. Fields that it would prune are compared, and rejected.
    fromHub: (_version, hub) => hub,
    withoutEmpty: (_codec, object) => object,
    // Upstream drops fields of unregistered versions only; its converter of custom resources has an error of its own.
    missingVersion: (apiVersion) => `request to convert CR to an invalid group/version: ${apiVersion}`,
  },
  lists: {
    jsonEnds: ({ apiVersion, kind }) => ({
      head: () => `{"apiVersion":"${apiVersion}","items":[`,
      tail: (list) => `],"kind":"${kind}","metadata":${structuralListMeta(list)}}`,
      skip: 0,
    }),
    hasProtobuf: false,
    cborMetadata: structuralCborListMeta,
    cborItemOfJson: () => undefined,
    encodeCborItemSteps: (cbor, _codec, object) => cbor.encodeCborValueSteps(object),
  },
  isImpliedInDiscovery: false,
};

/**
 * Rejects a custom resource that a patch changed to the storage version, because later code would accept it. Validation
 * rejects other wrong versions. Throws a 422.
 *
 * Upstream: ValidateTypeMeta of k8s.io/apiextensions-apiserver/pkg/registry/customresource/validator.go
 */
function refuseHubVersion({ apiVersion, metadata }: KubeObject, kind: GroupVersionKind, hubVersion: string): void {
  const hub = formatGroupVersion({ group: kind.group, version: hubVersion });
  const own = formatGroupVersion(kind);
  if (apiVersion !== hub || apiVersion === own) return;
  throw newInvalid(kind, metadata.name ?? '', [fieldInvalid(FieldPath.of('apiVersion'), apiVersion, `must be ${own}`)]);
}
