import { expect, test } from 'vitest';
import { checkExpression } from '../check/check-expression.js';
import { declareKubernetesFunctions } from '../declarations/kubernetes-functions.js';
import { declTypeProvider, nameTypes } from '../kubernetes/decl-type.js';
import { KUBERNETES_SYNTAX } from '../kubernetes/kubernetes-syntax.js';
import { schemaDeclType } from '../kubernetes/schema-decl-type.js';
import { parseExpression } from '../syntax/parse-expression.js';
import { ExpressionErrors } from '../syntax/source.js';
import { declTypeSizes, type SizeEstimator, UNKNOWN_SIZES } from './decl-type-sizes.js';
import { estimateCost } from './estimate-cost.js';

const decl = schemaDeclType(
  {
    type: 'object',
    properties: {
      name: { type: 'string', maxLength: 10 },
      text: { type: 'string' },
      tags: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 6 } },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      replicas: { type: 'integer' },
    },
  },
  false,
);
if (decl === undefined) throw new TypeError('the schema has no type');
const self = nameTypes(decl, 'self');
const environment = {
  functions: declareKubernetesFunctions(),
  variables: new Map([['self', self.type]]),
  types: declTypeProvider(self),
};

function costOf(expression: string, sizes: SizeEstimator): readonly [unknown, unknown] {
  const parsed = parseExpression(expression, KUBERNETES_SYNTAX);
  const checked = parsed instanceof ExpressionErrors ? parsed : checkExpression(parsed, environment);
  if (checked instanceof ExpressionErrors) throw new TypeError(checked.toString());
  const { min, max } = estimateCost(checked, sizes);
  return [min, max];
}

// The costs are those of upstream's estimator.
test.each<[string, number, number | bigint]>([
  ['self.replicas > 1', 3, 3],
  ['self.name in .dyn([self.name])', 16, 16],
  ["has(self.name) && self.name == 'a'", 1, 4],
  ['self.tags.all(tag, tag.startsWith(self.name))', 3, 53],
  ["self.tags.map(tag, tag + self.name).join(',')", 13, 1_844_674_407_370_955_387n],
  ['self.labels.all(key, value, key == value)', 3, 1_966_078],
  ["self.text.matches('[a-z]+')", 4, 629_148],
  ["self.text.replace('a', 'bc')", 2, 629_148],
  ["self.text.split(',', 3).sort()", 13, 629_178],
  ['string(bytes(self.text))', 2, 1_572_866],
  ["sets.contains(self.tags, ['a', 'b'])", 13, 23],
  ["self.?name.optMap(name, name + name).orValue('')", 5, 1_844_674_407_370_955_284n],
  ['[self.text].map(a, [a].map(b, [b].map(c, c + c)))', 105, 105],
  ["self.text.replace(self.tags[0], self.text).replace('x', self.text)", 9, 1_979_120_300_861],
  ["ip(self.name) == ip('::1')", 4, 8],
  ['self.tags.slice(1, 3).reverse()', 28, 28],
])('%s costs from %s to %s', (expression, min, max) => {
  expect(costOf(expression, declTypeSizes(self))).toEqual([min, max]);
});

test('values without a bound cost up to the largest number', () => {
  const expression = "self.tags.all(a, self.tags.all(b, self.tags.exists(c, a + b + c == 'x')))";
  expect(costOf(expression, UNKNOWN_SIZES)[1]).toBe(2n ** 64n - 1n);
});
