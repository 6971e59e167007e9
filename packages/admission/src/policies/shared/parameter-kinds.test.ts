import type { KubeObject } from '@apiserver/apimachinery';
import type { Informer } from '@apiserver/apiserver-contracts';
import { expect, test } from 'vitest';
import type { MappedResource } from '../../plugin-definition.js';
import { ParameterKind, ParameterKinds } from './parameter-kinds.js';

const LIMIT = { apiVersion: 'rules.example/v1', kind: 'Limit' };
const MAPPING: MappedResource = {
  resource: { group: 'rules.example', version: 'v1', resource: 'limits' },
  namespaced: true,
};

/** Access that records its calls; `mappings` are those of every kind. */
function access(mappings: MappedResource[], synced: () => Promise<void> = async () => {}) {
  const calls: string[] = [];
  let now = 10_000;
  const informer: Informer<KubeObject> = {
    synced,
    get: () => undefined,
    list: () => {
      calls.push('list');
      return [];
    },
    subscribe: () => () => {},
    [Symbol.asyncDispose]: async () => void calls.push('dispose'),
  };
  return {
    calls,
    clock: { now: () => now, schedule: () => () => {} },
    advance: (milliseconds: number) => {
      now += milliseconds;
    },
    access: {
      resourcesOf: async ({ group, version, kind }: { group: string; version: string; kind: string }) => {
        calls.push(`find ${group}/${version}/${kind}`);
        return mappings;
      },
      newInformer: () => {
        calls.push('informer');
        return informer;
      },
    },
  };
}

test('a kind is looked up once, and its informer starts at once', async () => {
  const { access: used, calls, clock, advance } = access([MAPPING]);
  const kind = new ParameterKind(LIMIT, used, clock);
  const view = await kind.view();
  advance(60_000);
  expect([view?.mapping, await kind.view(), calls]).toEqual([
    MAPPING,
    view,
    ['find rules.example/v1/Limit', 'informer', 'list'],
  ]);
});

test('an unknown kind is looked up again after a second', async () => {
  const mappings: MappedResource[] = [];
  const { access: used, calls, clock, advance } = access(mappings);
  const kind = new ParameterKind(LIMIT, used, clock);
  expect(await kind.view()).toBeUndefined();
  mappings.push(MAPPING);
  advance(999);
  expect(await kind.view()).toBeUndefined();
  advance(1);
  expect(await kind.view()).toMatchObject({ mapping: MAPPING });
  expect(calls).toEqual(['find rules.example/v1/Limit', 'find rules.example/v1/Limit', 'informer', 'list']);
});

test('the errors name the kind', () => {
  const { access: used, clock } = access([]);
  const errors = ['rules.example/v1', 'v1', 'a/b/c'].map((apiVersion) => {
    const { unknown, notSynced } = new ParameterKind({ apiVersion, kind: 'Limit' }, used, clock);
    return [unknown, notSynced];
  });
  expect(errors).toEqual([
    [
      "failed to find resource referenced by paramKind: 'rules.example/v1, Kind=Limit'",
      'paramKind kind `&ParamKind{APIVersion:rules.example/v1,Kind:Limit,}` not yet synced to use for admission',
    ],
    [
      "failed to find resource referenced by paramKind: '/v1, Kind=Limit'",
      'paramKind kind `&ParamKind{APIVersion:v1,Kind:Limit,}` not yet synced to use for admission',
    ],
    [
      "failed to find resource referenced by paramKind: '/a/b/c, Kind=Limit'",
      'paramKind kind `&ParamKind{APIVersion:a/b/c,Kind:Limit,}` not yet synced to use for admission',
    ],
  ]);
  const none = new ParameterKind({}, used, clock);
  expect([none.apiVersion, none.kind]).toEqual(['', '']);
});

test('a kind with a wrong version is not looked up', async () => {
  const { access: used, calls, clock } = access([MAPPING]);
  expect(await new ParameterKind({ apiVersion: 'a/b/c', kind: 'Limit' }, used, clock).view()).toBeUndefined();
  expect(calls).toEqual([]);
});

test('an informer that does not sync is reported', async () => {
  const synced = async (make: () => Promise<void>) => {
    const { access: used, clock } = access([MAPPING], make);
    const kind = new ParameterKind(LIMIT, used, clock);
    const view = await kind.view();
    return view && kind.synced(view);
  };
  expect([await synced(async () => {}), await synced(() => Promise.reject(new Error('late')))]).toEqual([true, false]);
});

test('kinds are shared by policies, and stop with their last one', async () => {
  const { access: used, calls, clock } = access([MAPPING]);
  const kinds = new ParameterKinds(used, clock);
  const [none, first, second, other] = kinds.use([undefined, LIMIT, { ...LIMIT }, { ...LIMIT, kind: 'Other' }]);
  await Promise.all([first?.view(), other?.view()]);
  expect([none, first === second, first === other]).toEqual([undefined, true, false]);
  const [kept] = kinds.use([LIMIT]);
  await Promise.resolve();
  expect([kept === first, calls.filter((call) => call === 'dispose').length]).toEqual([true, 1]);
  kinds.use([]);
  await Promise.resolve();
  expect(calls.filter((call) => call === 'dispose').length).toBe(2);
  expect(kinds.use([LIMIT])[0]).not.toBe(first);
});

test('a kind that was disposed while it was looked up starts no informer', async () => {
  const { access: used, calls, clock } = access([MAPPING]);
  const kind = new ParameterKind(LIMIT, used, clock);
  const looking = kind.view();
  await kind.dispose();
  expect([await looking, calls]).toEqual([undefined, ['find rules.example/v1/Limit']]);
});
