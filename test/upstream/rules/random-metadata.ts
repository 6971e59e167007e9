import type { Random } from '../../watch/random.ts';
import { mutated } from '../mutated-text.ts';

const NAMES = [
  ...[
    'a',
    'a-b',
    'a.b',
    'A',
    'example.com/a',
    'a_b',
    'x'.repeat(63),
    'x'.repeat(64),
    'x'.repeat(254),
    '1a',
    '-a',
    'a-',
  ],
  ...['é', '..', 'a..b', '10%', 'kubernetes.io/x', 'a/b/c', '/a', 'a/', '', ' ', `${'y'.repeat(63)}/a`],
  ...[`example.com/${'n'.repeat(64)}`, `${'z'.repeat(254)}/a`, 'é-', '😀-'],
] as [string, ...string[]];
const MOMENTS = ['2020-01-01T00:00:00Z', '2021-01-01T00:00:00Z'] as const;

/** A name, often with changes that make it wrong. */
function randomName(random: Random): string {
  return random.chance(0.5) ? random.of(NAMES) : mutated(random, random.of(NAMES));
}

/** Up to `limit` values, `limit` excluded. */
export function some<T>(random: Random, limit: number, make: () => T): T[] {
  return Array.from({ length: random.below(limit) }, make);
}

/** An object with one member, or without. */
export function maybe(random: Random, chance: number, name: string, make: () => unknown): object {
  return random.chance(chance) ? { [name]: make() } : {};
}

function randomMap(random: Random): object {
  return Object.fromEntries(some(random, 3, () => [randomName(random), randomName(random)]));
}

function randomOwner(random: Random): object {
  return {
    apiVersion: random.of(['v1', '', 'apps/v1', 'a/b/c', 'events.k8s.io/v1', '/v1', 'apps/']),
    kind: random.of(['Event', 'Pod', '']),
    name: random.of(['', 'n']),
    uid: random.of(['', 'u']),
    ...maybe(random, 0.6, 'controller', () => random.chance(0.7)),
  };
}

function randomManager(random: Random): object {
  return {
    ...maybe(random, 0.8, 'manager', () => random.of(['m', 'x'.repeat(129), 'a\tb', 'é\u0007'])),
    ...maybe(random, 0.9, 'operation', () => random.of(['Apply', 'Update', 'x', ''])),
    ...maybe(random, 0.9, 'fieldsType', () => random.of(['FieldsV1', '', 'x'])),
    ...maybe(random, 0.7, 'fieldsV1', () => ({})),
    ...maybe(random, 0.4, 'subresource', () => random.of(['status', 'x'.repeat(257), ''])),
  };
}

/** The metadata of an object, whose members are often wrong. */
export function randomMetadata(random: Random): object {
  const moment = () => random.of(MOMENTS);
  return {
    ...maybe(random, 0.8, 'name', () => randomName(random)),
    ...maybe(random, 0.4, 'generateName', () => randomName(random)),
    ...maybe(random, 0.5, 'namespace', () => randomName(random)),
    ...maybe(random, 0.3, 'generation', () => random.below(5) - 2),
    ...maybe(random, 0.4, 'labels', () => randomMap(random)),
    ...maybe(random, 0.4, 'annotations', () => randomMap(random)),
    ...maybe(random, 0.3, 'uid', () => random.of(['u', 'v'])),
    ...maybe(random, 0.7, 'resourceVersion', () => random.of(['', '1', 'x'])),
    ...maybe(random, 0.4, 'creationTimestamp', moment),
    ...maybe(random, 0.4, 'deletionTimestamp', moment),
    ...maybe(random, 0.3, 'deletionGracePeriodSeconds', () => random.below(3)),
    ...maybe(random, 0.4, 'finalizers', () =>
      some(random, 4, () => random.of(['orphan', 'foregroundDeletion', 'a.b/c', randomName(random)])),
    ),
    ...maybe(random, 0.4, 'ownerReferences', () => some(random, 4, () => randomOwner(random))),
    ...maybe(random, 0.3, 'managedFields', () => some(random, 3, () => randomManager(random))),
  };
}

/** The selector of a spec. */
export function randomSelector(random: Random): object {
  const expression = () => ({
    key: randomName(random),
    operator: random.of(['In', 'In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', '']),
    ...maybe(random, 0.7, 'values', () => some(random, 4, () => random.of(['1', '2', '', 'a', randomName(random)]))),
  });
  return {
    ...maybe(random, 0.5, 'matchLabels', () => randomMap(random)),
    ...maybe(random, 0.7, 'matchExpressions', () => some(random, 4, expression)),
  };
}

export function randomCondition(random: Random): object {
  return {
    type: randomName(random),
    status: random.of(['True', 'False', 'Unknown', 'x', '']),
    ...maybe(random, 0.5, 'observedGeneration', () => random.below(4) - 2),
    lastTransitionTime: random.of([null, ...MOMENTS]),
    reason: random.of(['R', '', '1a', 'a_', 'a:b', 'x'.repeat(1025), 'é']),
    message: random.of(['', 'm', 'x'.repeat(32_769), 'é'.repeat(20_000)]),
  };
}
