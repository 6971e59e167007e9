import type { OwnerReference } from '@apiserver/apimachinery';
import { beforeEach, expect, it } from 'vitest';
import { DependencyGraph } from './dependency-graph.js';
import type { ObjectIdentity } from './object-identity.js';

let work: string[];
let graph: DependencyGraph;

beforeEach(() => {
  work = [];
  graph = new DependencyGraph({
    attemptToDelete: ({ identity }) => void work.push(`delete ${identity.uid}`),
    attemptToOrphan: ({ identity }) => void work.push(`orphan ${identity.uid}`),
    lookUp: ({ identity }) => void work.push(`look up ${identity.uid}`),
    invalidNamespace: ({ identity }, uid) => void work.push(`${identity.uid} is not where ${uid} is`),
  });
});

const identity = (uid: string, namespace = 'ns'): ObjectIdentity => ({
  apiVersion: 'v1',
  kind: 'Thing',
  name: uid,
  namespace,
  uid,
});
const owner = (uid: string, changes: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'Thing',
  name: uid,
  uid,
  ...changes,
});
const put = (uid: string, owners: readonly OwnerReference[] = [], finalizer?: string) =>
  graph.put(identity(uid), {
    uid,
    ownerReferences: [...owners],
    ...(finalizer === undefined ? {} : { deletionTimestamp: 'now', finalizers: [finalizer] }),
  });
const taken = () => work.splice(0);

it('keeps nothing of an object that neither owns nor is owned', () => {
  put('a');
  expect([graph.size, graph.hasKind('v1', 'Thing'), taken()]).toEqual([0, false, []]);
});

it('looks up an owner that a reference names first, and forgets it with its last dependent', () => {
  put('b', [owner('a')]);
  put('c', [owner('a')]);
  expect([taken(), graph.size, graph.hasKind('v2', 'Thing')]).toEqual([['look up a', 'look up a'], 3, true]);
  put('a');
  graph.delete('b');
  put('c');
  expect([taken(), graph.size, graph.hasKind('v1', 'Thing')]).toEqual([[], 0, false]);
});

it('attempts to delete the dependents of a deleted object', () => {
  put('b', [owner('a')]);
  put('c', [owner('b')]);
  taken();
  graph.delete('a');
  expect(taken()).toEqual(['delete b']);
  graph.delete('b');
  expect(taken()).toEqual(['delete c']);
});

it('attempts to orphan and to delete once when the deletion begins', () => {
  put('b', [owner('a', { blockOwnerDeletion: true })]);
  taken();
  put('a', [], 'orphan');
  put('a', [], 'orphan');
  expect(taken()).toEqual(['orphan a']);
  put('a', [], 'foregroundDeletion');
  put('a', [], 'foregroundDeletion');
  expect(taken()).toEqual(['delete b', 'delete a']);
  put('b', [owner('a')]);
  expect(taken()).toEqual(['delete a']);
  graph.delete('b');
  expect(taken()).toEqual(['delete a']);
});

it('checks references that name an owner otherwise', () => {
  put('b', [owner('a', { name: 'other' })]);
  graph.put(identity('c', 'elsewhere'), { uid: 'c', ownerReferences: [owner('a')] });
  graph.put(identity('d', ''), { uid: 'd', ownerReferences: [owner('a')] });
  taken();
  put('a');
  expect(taken()).toEqual(['delete b', 'c is not where a is', 'delete c', 'd is not where a is', 'delete d']);
  put('e', [owner('a', { kind: 'Other' })]);
  put('f', [owner('a')]);
  expect(taken()).toEqual(['delete e']);
});

it('looks up an object that a list lacks', () => {
  put('b', [owner('a')]);
  put('a');
  taken();
  const node = graph.get('a');
  if (node !== undefined) graph.doubt(node);
  expect([taken(), node?.seen]).toEqual([['look up a'], false]);
});
