import type { KubeObject } from '@apiserver/apimachinery';
import type { ObjectVerbs, StoredObject } from '@apiserver/apiserver-contracts';
import { testContext } from '@apiserver/registry-store/testing';
import { scaleStorage } from '@apiserver/resource-kit';
import { expect, it } from 'vitest';
import { customScale } from './scale.js';

const parent: KubeObject = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'w', namespace: 'ns', uid: 'u', resourceVersion: '7' },
  spec: { size: 2 },
  status: { size: 1 },
  note: null,
};
const context = testContext({ namespace: 'ns' });
const stored = (object: KubeObject): StoredObject => ({ object, resourceVersion: '8', wire: () => undefined });

/** Scales a widget. Returns the widget passed to its storage, and the returned scale. */
async function scale(change: (scale: KubeObject) => void, specReplicasPath = '.spec.size') {
  let written: KubeObject | undefined;
  const widgets: Pick<ObjectVerbs, 'get' | 'update'> = {
    get: async () => stored(parent),
    update: async (_context, { objectInfo }) => {
      written = await objectInfo.updatedObject(context, parent);
      return { stored: stored(written), created: false };
    },
  };
  const paths = { specReplicasPath, statusReplicasPath: '.status.size' };
  const scales = scaleStorage(widgets, customScale(paths, { apiVersion: 'example.com/v1', replicas: {} }));
  const response = await scales.update?.(context, {
    name: 'w',
    objectInfo: {
      async updatedObject(_context, old) {
        const object = structuredClone(old) as KubeObject;
        change(object);
        return object;
      },
    },
    validateCreate: async () => {},
    validateUpdate: async () => {},
    forceAllowCreate: false,
    options: {},
  });
  return { written, response: response?.stored.object };
}

it.each<[string, string | undefined, string]>([
  ['that of the scale', '3', '3'],
  ['that of the object if the scale has none', undefined, '7'],
])('writes the object at a version: %s', async (_which, requested, expected) => {
  const { written } = await scale((object) => {
    if (requested === undefined) delete object.metadata.resourceVersion;
    else object.metadata.resourceVersion = requested;
    object['spec'] = { replicas: 5 };
  });
  expect(written).toEqual({
    ...parent,
    metadata: { ...parent.metadata, resourceVersion: expected },
    spec: { size: 5 },
  });
});

it("returns the scale with the object's resourceVersion", async () => {
  const { response } = await scale(() => {});
  expect(response).toEqual({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'w', namespace: 'ns', uid: 'u', resourceVersion: '7' },
    spec: { replicas: 2 },
    status: { replicas: 1 },
  });
});

it('refuses to write replicas below a value that is no object', async () => {
  const write = (path: string) =>
    scale((object) => {
      object['spec'] = { replicas: 5 };
    }, path);
  await expect(write('.metadata.labels.a')).resolves.toMatchObject({ written: { metadata: { labels: { a: 5 } } } });
  await expect(write('.note.a')).rejects.toMatchObject({
    message: 'value cannot be set because .note is not a map[string]interface{}',
  });
});
