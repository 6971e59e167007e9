import type { KubeObject } from '@apiserver/apimachinery';
import type { KindCodec } from '@apiserver/apimachinery/codec';
import type {
  AdmissionAttributes,
  AnyResourceDefinition,
  ResourceVersionDefinition,
} from '@apiserver/apiserver-contracts';

/** The attributes of a create of ConfigMap "a" in namespace "ns", with a test's changes. */
export function testAttributes(changes: Partial<AdmissionAttributes> = {}): AdmissionAttributes {
  const kind = changes.kind ?? { group: '', version: 'v1', kind: 'ConfigMap' };
  const resource = changes.resource ?? { group: '', version: 'v1', resource: 'configmaps' };
  return {
    operation: 'CREATE',
    kind,
    resource,
    subresource: '',
    namespace: 'ns',
    name: 'a',
    object: undefined,
    oldObject: undefined,
    options: {},
    dryRun: false,
    user: undefined,
    warnings: { warn: () => {} },
    scope: {
      definition: unused<AnyResourceDefinition>('definition'),
      versionDefinition: unused<ResourceVersionDefinition>('version'),
      codec: unused<KindCodec>('codec'),
      equivalents: () => [],
      kind,
      hubKind: kind,
      resource,
      subresource: changes.subresource ?? '',
      namespaced: (changes.namespace ?? 'ns') !== '',
    },
    signal: new AbortController().signal,
    deadline: undefined,
    reinvocation: undefined,
    addAnnotation: () => undefined,
    ...changes,
  };
}

/**
 * The attributes of a create of an object, or of an update if there is an old object. The resource is written as
 * `pods`, `pods/status` or `ingresses.networking.k8s.io`.
 */
export function objectAttributes(
  resource: string,
  object: KubeObject,
  changes: Partial<AdmissionAttributes> = {},
): AdmissionAttributes {
  const [name = '', subresource = ''] = resource.split('/');
  const [plural = '', ...group] = name.split('.');
  const version = 'v1';
  return testAttributes({
    operation: changes.oldObject === undefined ? 'CREATE' : 'UPDATE',
    kind: { group: group.join('.'), version, kind: object.kind ?? '' },
    resource: { group: group.join('.'), version, resource: plural },
    subresource,
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name ?? '',
    object,
    ...changes,
  });
}

/** Throws on access: stands for a dependency that no plugin under test may use. */
function unused<T extends object>(name: string): T {
  const refuse = (): never => {
    throw new Error(`these attributes have no ${name}`);
  };
  return new Proxy({} as T, { get: refuse, has: refuse });
}
