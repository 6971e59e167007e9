import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import type { APIService } from '@apiserver/api/apiregistration/v1';
import { throwingLogger as logger } from '@apiserver/apiserver-contracts/testing';
import { ManualClock } from '@apiserver/registry-store/testing';
import { expect, it, vi } from 'vitest';
import { localApiService } from '../registration/desired-api-service.js';
import { ControlledInformer } from '../testing/controlled-informer.js';
import { ExcludedGroupVersions } from './excluded-group-versions.js';

const GRACE = 5 * 60_000;

function definition(...versions: string[]): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: versions.map((name) => ({ name, served: true, storage: name === 'v1' })),
    },
    status: { acceptedNames: { plural: 'widgets', kind: 'Widget' } },
  };
}

it('has the group versions of definitions and of servers behind services, and for five minutes those of deleted ones', async () => {
  const clock = new ManualClock(0);
  const definitions = new ControlledInformer<CustomResourceDefinition>();
  const apiServices = new ControlledInformer<APIService>();
  let changes = 0;
  const changed = () => void changes++;
  const excluded = new ExcludedGroupVersions({ apiServices, definitions, changed, clock, logger });
  const stop = new AbortController();
  excluded.run(stop.signal);
  const local = localApiService({ group: 'batch', version: 'v1' }, { group: 1, version: 1 }, 'onstart');
  apiServices.put(local);
  const { spec } = local;
  const remote = { ...spec, group: 'remote.io', service: { namespace: 'n', name: 's' } };
  apiServices.put({ ...local, metadata: { name: 'v1.remote.io' }, spec: remote });
  definitions.put(definition('v1', 'v2'));
  const names = ['batch/v1', 'remote.io/v1', 'example.com/v1', 'example.com/v2'];
  const shown = () => names.filter((name) => excluded.has(name));
  await vi.waitFor(() => expect(shown()).toEqual(['remote.io/v1', 'example.com/v1', 'example.com/v2']), 30_000);

  const before = changes;
  definitions.put(definition('v1'));
  await vi.waitFor(() => expect(changes).toBeGreaterThan(before), 30_000);
  expect(shown()).toEqual(['remote.io/v1', 'example.com/v1', 'example.com/v2']);
  clock.advance(GRACE);
  expect(excluded.has('example.com/v2')).toBe(true);
  clock.advance(1);
  await vi.waitFor(() => expect(shown()).toEqual(['remote.io/v1', 'example.com/v1']), 30_000);
  stop.abort();
});
