import type { Informer } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import { sharedInformers } from './shared-informers.js';

it('makes one informer for each resource and selection', () => {
  const made: unknown[] = [];
  const informer = sharedInformers((resource, selection) => {
    made.push([resource.resource, selection]);
    return {} as Informer<never>;
  });
  const namespaces = { group: '', version: 'v1', resource: 'namespaces' };
  const secrets = { ...namespaces, resource: 'secrets' };
  const selections = [
    [namespaces, undefined],
    [namespaces, {}],
    [secrets, undefined],
    [secrets, { namespace: 'kube-system' }],
    [secrets, { fieldSelector: 'type=a' }],
    [secrets, { fieldSelector: 'type=a', namespace: '' }],
  ] as const;
  const numbers = new Map<unknown, number>();
  const numberOf = (one: unknown) => numbers.get(one) ?? numbers.set(one, numbers.size).size - 1;
  expect(selections.map(([resource, selection]) => numberOf(informer(resource, selection)))).toEqual([
    0, 0, 1, 2, 3, 3,
  ]);
  expect(made).toEqual([
    ['namespaces', { namespace: '', fieldSelector: '' }],
    ['secrets', { namespace: '', fieldSelector: '' }],
    ['secrets', { namespace: 'kube-system', fieldSelector: '' }],
    ['secrets', { namespace: '', fieldSelector: 'type=a' }],
  ]);
});
