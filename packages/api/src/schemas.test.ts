import { ConfigMap } from '@apiserver/api/core/v1';
import type { KubeObject, ListMeta as SharedListMeta, ObjectMeta as SharedObjectMeta } from '@apiserver/apimachinery';
import { describe, expect, it } from 'vitest';
import { groupVersions } from './index.js';

describe('generated kinds', () => {
  it('have their resource', () => {
    expect(ConfigMap.gvk).toEqual({ group: '', version: 'v1', kind: 'ConfigMap' });
    expect(ConfigMap.resource).toEqual({
      plural: 'configmaps',
      namespaced: true,
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    });
  });

  it('have types compatible with KubeObject', () => {
    const configMap: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data: { a: 'b' } };
    const object: KubeObject = configMap;
    expect(object['data']).toEqual({ a: 'b' });
    expect<[SharedObjectMeta, SharedListMeta]>([{}, {}]).toEqual([{}, {}]);
  });

  it('resolve every reference on first use', async () => {
    let fields = 0;
    for (const entry of groupVersions) {
      const groupVersion = await entry.load();
      expect({ group: groupVersion.group, version: groupVersion.version }).toEqual({
        group: entry.group,
        version: entry.version,
      });
      for (const kind of groupVersion.kinds()) {
        fields += kind.schema.fields.filter((field) => field.schema !== undefined).length;
      }
    }
    expect(fields).toBeGreaterThan(1000);
  });
});
