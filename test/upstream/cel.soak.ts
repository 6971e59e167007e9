import { ruleOutcome } from '@apiserver/cel/testing';
import { it } from 'vitest';
import type { Random } from '../watch/random.ts';
import { compareCases } from './compare-cases.ts';
import { celDifference } from './expressions/cel-difference.ts';
import { RandomExpression, type TypedPath } from './expressions/random-expression.ts';
import { type RandomField, randomField } from './expressions/random-field.ts';
import { describeUpstream } from './upstream-program.ts';

interface CelCase {
  readonly schema: object;
  readonly expression: string;
  readonly self: unknown;
  readonly oldSelf?: unknown;
  readonly optionalOldSelf: boolean;
  /** True if the schema is that of a resource. */
  readonly resourceRoot: boolean;
}

/** A field of a random schema: values, and the paths to expressions. */
interface Field {
  readonly schema: object;
  readonly values: readonly [unknown, ...unknown[]];
  readonly paths: readonly TypedPath[];
}

const text = (schema: object, type: string, ...values: [string, ...string[]]): Field => ({
  schema: { type: 'string', ...schema },
  values,
  paths: [{ path: '', type }],
});
const of = (type: string, schema: object, values: Field['values'], ...paths: TypedPath[]): Field => ({
  schema,
  values,
  paths: [{ path: '', type }, ...paths],
});

const NUMBERS: Field['values'] = [0, 1, -5, 12, 2 ** 31, 9007199254740991];

const FIELDS: readonly [Field, ...Field[]] = [
  of('int', { type: 'integer' }, NUMBERS),
  of('int', { type: 'integer', format: 'int32' }, NUMBERS),
  of('double', { type: 'number' }, [0, 1.5, -2, 1e300]),
  of('bool', { type: 'boolean' }, [true, false]),
  text({}, 'string', '', 'a', 'héllo', '1', 'a,b'),
  text({ maxLength: 5 }, 'string', 'b', 'abc'),
  text({ enum: ['a', 'long value'] }, 'string', 'a'),
  text({ format: 'date-time' }, 'timestamp', '2024-02-29T01:02:03Z'),
  text({ format: 'date' }, 'timestamp', '2024-02-29'),
  text({ format: 'duration' }, 'duration', '1h', '90s'),
  text({ format: 'byte' }, 'bytes', 'YQ==', ''),
  text({ format: 'ipv4' }, 'ipText', '1.2.3.4'),
  of('any', { 'x-kubernetes-int-or-string': true }, [1, 'x', '50%']),
  of('any', { 'x-kubernetes-preserve-unknown-fields': true, type: 'object' }, [{}, { a: [1, 'x'] }]),
  of('ints', { type: 'array', items: { type: 'integer' } }, [[], [1, 2], [3, 1, 3]]),
  of('ints', { type: 'array', maxItems: 3, items: { type: 'integer' } }, [[], [1, 2]]),
  of('strings', { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string', maxLength: 4 } }, [
    [],
    ['a', 'b'],
  ]),
  of('doubles', { type: 'array', items: { type: 'number' } }, [[], [1, 2.5]]),
  of('map', { type: 'object', additionalProperties: { type: 'integer' } }, [{}, { a: 1 }, { a: 1, b: 2 }]),
  of('map', { type: 'object', maxProperties: 2, additionalProperties: { type: 'integer' } }, [{}, { a: 1 }]),
  of(
    'any',
    { type: 'object', properties: { a: { type: 'integer' }, 'b-c': { type: 'string' }, in: { type: 'string' } } },
    [{}, { a: 1 }, { a: 2, 'b-c': 'x', in: 'y' }],
    { path: '.a', type: 'int' },
    { path: '.b__dash__c', type: 'string' },
    { path: '.__in__', type: 'string' },
    { path: '.?a', type: 'optionalInt' },
  ),
  of(
    'anys',
    {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', required: ['k'], properties: { k: { type: 'string' }, n: { type: 'integer' } } },
    },
    [[], [{ k: 'a' }], [{ k: 'a', n: 1 }, { k: 'b' }]],
    { path: '[0].n', type: 'int' },
    { path: '.map(e, e.k)', type: 'strings' },
    { path: '.filter(e, has(e.n))', type: 'anys' },
  ),
];

function common(random: Random): RandomField {
  const { schema, values, paths } = random.of(FIELDS);
  return { schema, value: () => random.of(values), paths };
}

/** Cases of one schema, which upstream compiles once. */
const PER_SCHEMA = 40;

class RandomRules {
  #left = 0;
  #fields: readonly RandomField[] = [];
  #schema: object = {};
  #isRoot = false;

  next(random: Random): CelCase {
    if (this.#left-- <= 0) this.#changeSchema(random);
    const names = this.#fields.map((_, index) => `f${index}`);
    const optionalOldSelf = random.chance(0.3);
    const paths = this.#fields.flatMap(({ paths }, index) => [
      ...paths.map(({ path, type }) => ({ path: `self.f${index}${path}`, type })),
      ...paths.map(({ path, type }) => ({
        path: `oldSelf.${optionalOldSelf ? `value().` : ''}f${index}${path}`,
        type,
      })),
      { path: `has(self.f${index})`, type: 'bool' },
    ]);
    if (this.#isRoot) {
      paths.push({ path: 'self.metadata.name', type: 'string' }, { path: 'self.kind', type: 'string' });
    }
    const value = () => ({
      ...(this.#isRoot && { apiVersion: 'v1', kind: 'X', metadata: { name: 'n', labels: { a: 'b' } } }),
      ...Object.fromEntries(
        names.flatMap((name, index) => (random.chance(0.85) ? [[name, this.#fields[index]?.value()]] : [])),
      ),
    });
    return {
      schema: this.#schema,
      expression: new RandomExpression(random, paths).text(),
      self: value(),
      ...(optionalOldSelf && random.chance(0.5) ? {} : { oldSelf: value() }),
      optionalOldSelf,
      resourceRoot: this.#isRoot,
    };
  }

  #changeSchema(random: Random): void {
    this.#left = PER_SCHEMA;
    this.#isRoot = random.chance(0.2);
    this.#fields = Array.from({ length: 2 + random.below(5) }, () =>
      random.chance(0.5) ? randomField(random) : common(random),
    );
    const properties = Object.fromEntries(this.#fields.map(({ schema }, index) => [`f${index}`, schema]));
    this.#schema = { type: 'object', properties };
  }
}

describeUpstream('expressions', (upstream) => {
  const rules = new RandomRules();
  it('have upstream’s types, costs, values and errors', () =>
    compareCases(upstream(), {
      area: 'cel',
      randomCase: (random) => rules.next(random),
      ours: ruleOutcome,
      difference: celDifference,
    }));
});
