import type { Scale } from '@apiserver/api/autoscaling/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { labelSelectorFromSet } from '@apiserver/apimachinery/selectors';
import { ParseError } from '@apiserver/apimachinery/text';
import type { ResourceDefinition, RestStorage, StoredObject } from '@apiserver/apiserver-contracts';
import { createStore, createSubresourceStore } from '@apiserver/registry-store';
import { createFakeStorage, testContext, testStoreSources } from '@apiserver/registry-store/testing';
import { rowTime, type Scalable, type ScaleDeclaration, scaleSubresource } from '@apiserver/resource-kit';
import { beforeEach, describe, expect, it } from 'vitest';
import { configMaps } from '../core/config-map/index.js';

interface Workload extends Scalable {
  spec: { replicas?: number; selector?: Record<string, string> };
}

const strategy = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  validate: () => [],
  validateUpdate: () => [],
};
const definition = {
  ...configMaps,
  group: 'apps',
  kind: 'Workload',
  resource: 'workloads',
  strategy,
  storeHooks: {},
} as unknown as ResourceDefinition<Workload>;
const context = testContext({ namespace: 'ns' });
const admitted: KubeObject[] = [];

const declaration: ScaleDeclaration<Workload> = {
  resource: { group: 'apps', resource: 'workloads' },
  scaleGroup: 'autoscaling',
  strategy,
  selectorText: ({ spec }) => labelSelectorFromSet(spec.selector ?? {}).toString(),
};
let workloads: Required<RestStorage<Workload>>;
let scales: RestStorage<Scale>;
let scalesOf: (declaration: ScaleDeclaration<Workload>) => RestStorage<Scale>;

beforeEach(async () => {
  admitted.length = 0;
  const options = { definition, storage: createFakeStorage<Workload>(), ...testStoreSources<Workload>() };
  workloads = createStore(options) as Required<RestStorage<Workload>>;
  scalesOf = (of) => createSubresourceStore(options, scaleSubresource(of)) as unknown as RestStorage<Scale>;
  scales = scalesOf(declaration);
  const workload: Workload = {
    apiVersion: 'apps/v1',
    kind: 'Workload',
    metadata: { name: 'w' },
    spec: { replicas: 2, selector: { app: 'w' } },
    status: { replicas: 1 },
  };
  await workloads.create(context, workload, async () => {}, {});
});

it('has the columns of its own kind', () => {
  const scale = { ...SCALE, spec: {} };
  const columns = scaleSubresource(declaration).columns ?? [];
  expect(
    columns.map(({ name, type, format, cell }) => [name, type, format, cell(scale, rowTime('2030-01-02T03:04:15Z'))]),
  ).toEqual([
    ['Name', 'string', '', 'w'],
    ['Desired', 'integer', '', 0],
    ['Available', 'integer', '', 1],
    ['Age', 'string', '', '10s'],
  ]);
});

function update(change: (scale: Scale) => void, name = 'w', of = scales) {
  return of.update?.(context, {
    name,
    objectInfo: {
      updatedObject(_context, old) {
        const scale = structuredClone(old as Scale);
        change(scale);
        return scale;
      },
    },
    validateCreate: async () => {},
    validateUpdate: async (scale, old) => void admitted.push(scale, old),
    forceAllowCreate: true,
    options: {},
  });
}

const SCALE = {
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: {
    name: 'w',
    namespace: 'ns',
    uid: 'uid-1',
    resourceVersion: '1',
    creationTimestamp: '2030-01-02T03:04:05Z',
  },
  spec: { replicas: 2 },
  status: { replicas: 1, selector: 'app=w' },
};

describe('scale', () => {
  it('supports reading and writing', () => {
    expect(Object.keys(scales).sort()).toEqual(['get', 'update']);
  });

  it('shows the replicas of a workload', async () => {
    expect((await scales.get?.(context, 'w', {}))?.object).toEqual(SCALE);
    await expect(scales.get?.(context, 'x', {})).rejects.toThrow('workloads/scale.autoscaling "x" not found');
  });

  it('decodes a large workload in turns', async () => {
    const stored = await workloads.get(context, 'w', {});
    const large: StoredObject<Workload> = {
      resourceVersion: stored.resourceVersion,
      wire: () => undefined,
      load: async () => stored.object,
      get object(): Workload {
        throw new Error('decoded in one turn');
      },
    };
    const parents = { get: async () => large, update: async () => ({ stored: large, created: false }) };
    const found = scaleSubresource(declaration).override?.(parents as never) as Required<RestStorage<Scale>>;
    expect((await found.get(context, 'w', {})).object).toEqual(SCALE);
    expect((await found.update(context, { objectInfo: {} } as never)).stored.object).toEqual(SCALE);
  });

  it('rethrows read errors of the workload if declared', async () => {
    const telling = scalesOf({ ...declaration, tellsReadErrors: true });
    await expect(telling.get?.(context, 'x', {})).rejects.toThrow('workloads.apps "x" not found');
  });

  it('refuses an invalid selector, as its own fault where the scale is changed', async () => {
    const unparsable = scalesOf({
      ...declaration,
      selectorText: () => {
        throw new ParseError('no selector');
      },
    });
    const refusal = { status: { code: 400, message: 'no selector' } };
    await expect(unparsable.get?.(context, 'w', {})).rejects.toMatchObject(refusal);
    const failure = { status: { code: 500, message: 'no selector' } };
    await expect(update(() => {}, 'w', unparsable)).rejects.toMatchObject(failure);
  });

  it('changes only the replicas, and passes scales to admission', async () => {
    const response = await update((scale) => {
      scale.spec.replicas = 5;
      scale.status.replicas = 9;
      scale.metadata.labels = { a: 'b' };
    });
    const after = { ...SCALE, metadata: { ...SCALE.metadata, resourceVersion: '2' }, spec: { replicas: 5 } };
    expect([response?.stored.object, response?.created]).toEqual([after, false]);
    const { object } = await workloads.get(context, 'w', {});
    expect([object.spec.replicas, object.metadata.labels]).toEqual([5, undefined]);
    expect(admitted.map((scale) => [scale.kind, (scale as Scale).spec.replicas])).toEqual([
      ['Scale', 5],
      ['Scale', 2],
    ]);
  });

  it('scales to zero from any version', async () => {
    const response = await update((scale) => {
      scale.spec = {};
      delete scale.metadata.resourceVersion;
      delete scale.metadata.uid;
    });
    expect((response?.stored.object as Scale | undefined)?.spec).toEqual({});
    expect((await workloads.get(context, 'w', {})).object.spec.replicas).toBe(0);
  });

  it.each<[string, (scale: Scale) => void, string]>([
    [
      'fewer than none',
      (scale) => {
        scale.spec.replicas = -1;
      },
      'Scale.autoscaling "w" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'an old version',
      (scale) => {
        scale.metadata.resourceVersion = '99';
      },
      'Operation cannot be fulfilled on workloads.apps "w": the object has been modified; please apply your changes to the latest version and try again',
    ],
    [
      'another workload',
      (scale) => {
        scale.metadata.uid = 'other';
      },
      'Operation cannot be fulfilled on workloads/scale.apps "w": Precondition failed: UID in precondition: other, UID in object meta: uid-1',
    ],
  ])('refuses %s', async (_what, change, message) => {
    await expect(update(change)).rejects.toThrow(message);
    expect((await workloads.get(context, 'w', {})).object.spec.replicas).toBe(2);
  });

  it('does not create a workload', async () => {
    await expect(update(() => {}, 'x')).rejects.toThrow('workloads.apps "x" not found');
  });
});
