import type { KindCodec } from '@apiserver/apimachinery';
import type { AdmissionAttributes, AnyResourceDefinition } from '@apiserver/apiserver-contracts';

/** The attributes of a create of ConfigMap "a" in namespace "ns", with what a test changes. */
export function testAttributes(changes: Partial<AdmissionAttributes> = {}): AdmissionAttributes {
  const kind = { group: '', version: 'v1', kind: 'ConfigMap' };
  const resource = { group: '', version: 'v1', resource: 'configmaps' };
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
      codec: unused<KindCodec>('codec'),
      kind,
      hubKind: kind,
      resource,
      subresource: '',
      namespaced: true,
    },
    signal: new AbortController().signal,
    addAnnotation: () => {},
    ...changes,
  };
}

/** Stands for a part that no plugin under test may look at. */
function unused<T extends object>(name: string): T {
  const refuse = (): never => {
    throw new Error(`these attributes have no ${name}`);
  };
  return new Proxy({} as T, { get: refuse, has: refuse });
}
