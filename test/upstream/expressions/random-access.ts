import type { Random } from '../../watch/random.ts';
import { RandomExpression, type TypedPath } from './random-expression.ts';
import { pathsOf } from './typed-paths.ts';

/** Paths into the review of an access. */
const REQUEST: readonly TypedPath[] = pathsOf({
  string: [
    'request.user',
    'request.uid',
    'request.groups[0]',
    'request.resourceAttributes.namespace',
    'request.resourceAttributes.verb',
    'request.resourceAttributes.resource',
    'request.resourceAttributes.name',
    'request.nonResourceAttributes.path',
    'request.extra["k"][0]',
    'request.resourceAttributes.fieldSelector.rawSelector',
    'request.resourceAttributes.labelSelector.requirements[0].key',
    'request.resourceAttributes.fieldSelector.requirements[0].operator',
  ],
  strings: [
    'request.groups',
    'request.extra["k"]',
    'request.extra.map(k, k)',
    'request.resourceAttributes.labelSelector.requirements[0].values',
    'request.resourceAttributes.fieldSelector.requirements.map(r, r.key)',
  ],
  bool: [
    'has(request.resourceAttributes)',
    'has(request.nonResourceAttributes)',
    'has(request.resourceAttributes.fieldSelector)',
    'has(request.resourceAttributes.labelSelector.requirements)',
    'has(request.resourceAttributes.fieldSelector.rawSelector)',
    'has(request.user)',
    'has(request.extra.k)',
    '"g" in request.groups',
    '"k" in request.extra',
    'request == request',
    'request.resourceAttributes.?labelSelector.hasValue()',
    'request.resourceAttributes.labelSelector.requirements.all(r, r.operator == "In")',
    'request.resourceAttributes == request.resourceAttributes',
  ],
  int: ['size(request.groups)', 'size(request.extra)', 'size(request.resourceAttributes.labelSelector.requirements)'],
  any: ['request', 'request.extra', 'request.resourceAttributes', 'request.missing', 'request.nonResourceAttributes'],
  anys: ['request.resourceAttributes.labelSelector.requirements'],
  optionalString: [
    'request.?uid',
    'request.?resourceAttributes.?namespace',
    'request.groups[?0]',
    'request.resourceAttributes.?fieldSelector.?rawSelector',
  ],
});

/** The match conditions of a webhook, and an access. */
export interface AccessCase {
  readonly rule: 'accessMatch';
  readonly conditions: readonly string[];
  readonly spec: object;
}

export function randomAccess(random: Random): AccessCase {
  const expressions = new RandomExpression(random, REQUEST);
  const conditions = Array.from({ length: 1 + random.below(3) }, () =>
    expressions.text(random.chance(0.95) ? 'bool' : 'any'),
  );
  return { rule: 'accessMatch', conditions, spec: randomSpec(random) };
}

function randomSpec(random: Random): object {
  const text = () => random.of(['', 'a', 'get', 'pods', 'kube-system', 'é']);
  const list = () => Array.from({ length: random.below(3) }, text);
  const maybe = (probability: number, member: object) => (random.chance(probability) ? member : {});
  const requirement = () => ({
    key: text(),
    operator: random.of(['In', 'NotIn', 'Exists']),
    ...maybe(0.7, { values: list() }),
  });
  const selector = () => ({
    ...maybe(0.4, { rawSelector: text() }),
    ...maybe(0.7, { requirements: Array.from({ length: random.below(3) }, requirement) }),
  });
  const texts = () =>
    Object.fromEntries(
      ['namespace', 'verb', 'group', 'version', 'resource', 'subresource', 'name'].flatMap((name) =>
        random.chance(0.6) ? [[name, text()]] : [],
      ),
    );
  return {
    ...maybe(0.9, { user: text() }),
    ...maybe(0.7, { groups: list() }),
    ...maybe(0.4, { uid: text() }),
    ...maybe(0.5, { extra: random.of<object>([{ k: list() }, { 'a/b': ['x'] }, {}]) }),
    ...maybe(0.75, {
      resourceAttributes: {
        ...texts(),
        ...maybe(0.5, { fieldSelector: selector() }),
        ...maybe(0.5, { labelSelector: selector() }),
      },
    }),
    ...maybe(0.3, { nonResourceAttributes: { ...maybe(0.8, { path: text() }), ...maybe(0.8, { verb: text() }) } }),
  };
}
