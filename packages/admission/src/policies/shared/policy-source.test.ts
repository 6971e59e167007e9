import type { KubeObject } from '@apiserver/apimachinery';
import type { Informer } from '@apiserver/apiserver-contracts';
import { expect, test } from 'vitest';
import { testPluginDependencies } from '../../testing/plugin-dependencies.js';
import { ParameterKinds } from './parameter-kinds.js';
import type { AnyBinding, AnyPolicy } from './policy-hook.js';
import { PolicySource } from './policy-source.js';

const meta = (name: string, more: object = {}) => ({ apiVersion: 'v1', kind: 'X', metadata: { name, ...more } });
const policy = (name: string, more: object = {}): AnyPolicy => ({ ...meta(name, more), spec: {} });
const binding = (name: string, policyName?: string): AnyBinding => ({
  ...meta(name),
  spec: policyName === undefined ? {} : { policyName },
});

class TestInformer<T extends KubeObject> implements Informer<T> {
  objects: readonly T[] = [];
  lists = 0;
  readonly handlers: Parameters<Informer<T>['subscribe']>[0][] = [];

  async synced(): Promise<void> {}

  get(): undefined {
    return undefined;
  }

  list(): readonly T[] {
    this.lists++;
    return this.objects;
  }

  subscribe(handlers: Parameters<Informer<T>['subscribe']>[0]): () => void {
    this.handlers.push(handlers);
    return () => {};
  }

  change(how: 'added' | 'updated' | 'deleted', object: T): void {
    for (const handlers of this.handlers) handlers[how]?.(object, object);
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

function fixture(policies: readonly AnyPolicy[], bindings: readonly AnyBinding[]) {
  const own = { policies: new TestInformer<AnyPolicy>(), bindings: new TestInformer<AnyBinding>() };
  own.policies.objects = policies;
  own.bindings.objects = bindings;
  const compiled: string[] = [];
  const dependencies = testPluginDependencies();
  const source = new PolicySource<AnyPolicy, AnyBinding, string>({
    ...own,
    parameters: new ParameterKinds(dependencies, dependencies.clock),
    compile: async ({ metadata }) => {
      compiled.push(metadata.name ?? '');
      return `${metadata.name} ${metadata.generation ?? metadata.resourceVersion}`;
    },
  });
  return { ...own, source, compiled };
}

test('policies with bindings are in the order of names', () => {
  const { source } = fixture(
    [policy('c'), policy('b'), policy('a'), policy('unbound')],
    [binding('y', 'a'), binding('z', 'a'), binding('x', 'a'), binding('n', 'c'), binding('m', 'b'), binding('none')],
  );
  expect(source.hooks().map(({ name, bindings }) => [name, bindings.map((one) => one.name)])).toEqual([
    ['a', ['x', 'y', 'z']],
    ['b', ['m']],
    ['c', ['n']],
  ]);
});

test('policies are gathered again after each kind of change, and only then', () => {
  const { source, policies, bindings } = fixture([policy('a')], [binding('b', 'a')]);
  const first = source.hooks();
  expect([source.hooks() === first, policies.lists, policies.handlers.length, bindings.handlers.length]).toEqual([
    true,
    1,
    1,
    1,
  ]);
  const changes = (['added', 'updated', 'deleted'] as const).flatMap((how) => [
    () => policies.change(how, policy('a')),
    () => bindings.change(how, binding('b')),
  ]);
  const gathered = changes.map((change) => {
    const before = source.hooks();
    change();
    return source.hooks() !== before;
  });
  expect([gathered, policies.lists]).toEqual([[true, true, true, true, true, true], 7]);
});

test.each<[string, object, object, number]>([
  ['the same generation', { uid: 'u', generation: 1, resourceVersion: '1' }, { resourceVersion: '2' }, 1],
  ['another generation', { uid: 'u', generation: 1 }, { generation: 2 }, 2],
  ['another uid', { uid: 'u', generation: 1 }, { uid: 'v' }, 2],
  ['no generation, the same version', { uid: 'u', resourceVersion: '1' }, {}, 1],
  ['no generation, another version', { uid: 'u', resourceVersion: '1' }, { resourceVersion: '2' }, 2],
])('a policy with %s is compiled as often as it needs', async (_, before, changes, times) => {
  const { source, policies, compiled } = fixture([policy('a', before)], [binding('b', 'a')]);
  const [first] = source.hooks();
  expect(compiled).toEqual([]);
  expect(await first?.evaluator()).toBe(await first?.evaluator());
  policies.objects = [policy('a', { ...before, ...changes })];
  policies.change('updated', policy('a'));
  await source.hooks()[0]?.evaluator();
  expect(compiled.length).toBe(times);
});

test('a policy that lost its binding is compiled again when it has one', async () => {
  const { source, bindings, compiled } = fixture([policy('a', { uid: 'u', generation: 1 })], [binding('b', 'a')]);
  await source.hooks()[0]?.evaluator();
  bindings.objects = [];
  bindings.change('deleted', binding('b'));
  expect(source.hooks()).toEqual([]);
  bindings.objects = [binding('b', 'a')];
  bindings.change('added', binding('b'));
  await source.hooks()[0]?.evaluator();
  expect(compiled).toEqual(['a', 'a']);
});

test('a policy is awaited until it is compiled', async () => {
  const { source, compiled } = fixture([policy('a', { generation: 1 })], [binding('x', 'a')]);
  const [hook] = source.hooks();
  const pending = [hook?.evaluator(), hook?.evaluator()];
  expect(pending.map((one) => one instanceof Promise)).toEqual([true, true]);
  expect(await Promise.all(pending)).toEqual(['a 1', 'a 1']);
  expect([hook?.evaluator(), compiled]).toEqual(['a 1', ['a']]);
});
