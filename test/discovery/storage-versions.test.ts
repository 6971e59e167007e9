import { expect, it } from 'vitest';
import { assembledServer } from '../guards/assembled-server.ts';
import { object } from '../guards/objects.ts';

const PATH = '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions';

const server = assembledServer(
  '--runtime-config=internal.apiserver.k8s.io/v1alpha1=true',
  '--feature-gates=StorageVersionAPI=true',
);

it('is ready once it has recorded the versions of all built-in resources', async () => {
  const { body } = await server.ask('GET', PATH);
  const names: readonly string[] = body.items.map((item: { metadata: { name: string } }) => item.metadata.name);
  expect(names).toEqual(
    expect.arrayContaining([
      'apiextensions.k8s.io.customresourcedefinitions',
      'apiregistration.k8s.io.apiservices',
      'apps.deployments',
      'core.pods',
      'internal.apiserver.k8s.io.storageversions',
    ]),
  );
  expect(names).not.toContain('events.k8s.io.events');
  expect(names.filter((name) => /reviews$|bindings\/|core\.bindings/.test(name))).toEqual([]);
  const ready = await server.ask('GET', '/readyz/poststarthook/built-in-resources-storage-version-updater');
  expect(ready.code).toBe(200);
});

it.each([
  [
    'admissionregistration.k8s.io.mutatingadmissionpolicies',
    'admissionregistration.k8s.io/v1beta1',
    ['v1', 'v1beta1', 'v1alpha1'].map((version) => `admissionregistration.k8s.io/${version}`),
    ['admissionregistration.k8s.io/v1'],
  ],
  ['core.events', 'v1', ['v1', 'events.k8s.io/v1'], ['v1']],
  ['apps.deployments', 'apps/v1', ['apps/v1', 'apps/v1beta2', 'apps/v1beta1'], ['apps/v1']],
  [
    'autoscaling.horizontalpodautoscalers',
    'autoscaling/v2',
    ['autoscaling/v2', 'autoscaling/v1'],
    ['autoscaling/v2', 'autoscaling/v1'],
  ],
  [
    'apiextensions.k8s.io.customresourcedefinitions',
    'apiextensions.k8s.io/v1beta1',
    ['apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v1beta1'],
    ['apiextensions.k8s.io/v1'],
  ],
])('records %s', async (name, encodingVersion, decodableVersions, servedVersions) => {
  const { body } = await server.ask('GET', `${PATH}/${name}`);
  const versions = { apiServerID: expect.stringMatching(/^apiserver-[a-z2-7]{26}$/) };
  expect(body.status).toEqual({
    storageVersions: [{ ...versions, encodingVersion, decodableVersions, servedVersions }],
    commonEncodingVersion: encodingVersion,
    conditions: [
      {
        type: 'AllEncodingVersionsEqual',
        status: 'True',
        observedGeneration: body.metadata.generation,
        lastTransitionTime: expect.any(String),
        reason: 'CommonEncodingVersionSet',
        message: 'Common encoding version set',
      },
    ],
  });
});

it('accepts writes then', async () => {
  const { code } = await server.ask('POST', '/api/v1/namespaces/default/configmaps', object('v1', 'ConfigMap', 'a'));
  expect(code).toBe(201);
});
