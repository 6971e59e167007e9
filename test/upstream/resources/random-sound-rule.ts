import type { Random } from '../../watch/random.ts';
import type { Schema } from '../random-definition.ts';

type Texts = readonly [string, ...string[]];

/** The schema that the rules here are about. */
export function soundSchema(random: Random): Schema {
  const text = { type: 'string', maxLength: random.of([3, 20]) };
  const item = { k: text, v: { type: 'integer' }, w: text };
  const properties: Record<string, Schema> = {
    n: { type: 'integer', ...(random.chance(0.3) && { nullable: true }), ...(random.chance(0.3) && { default: 2 }) },
    s: { ...text, ...(random.chance(0.3) && { default: 'x' }) },
    t: { type: 'string' },
    l: {
      type: 'array',
      items: { type: 'integer' },
      ...(random.chance(0.9) && { maxItems: 10 }),
      'x-kubernetes-list-type': random.of(['atomic', 'set']),
    },
    m: { type: 'object', additionalProperties: { type: 'integer' }, maxProperties: 5 },
    o: { type: 'object', properties: { a: text, b: { type: 'integer' } } },
    q: {
      type: 'array',
      items: { type: 'object', properties: item, required: ['k'] },
      maxItems: random.of([3, 50]),
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    },
    e: { type: 'string', enum: ['x', 'y', 'z'] },
    i: { 'x-kubernetes-int-or-string': true },
    d: { type: 'string', format: 'date-time' },
    u: { type: 'string', format: 'duration' },
    p: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  };
  const whole: Schema = {
    type: 'object',
    properties,
    ...(random.chance(0.2) && { 'x-kubernetes-map-type': 'atomic' }),
  };
  addRules(random, whole, SPEC, { chance: 0.9, isRepeated: false });
  addRules(random, properties['n'] ?? {}, INTEGER, { chance: 0.25, isRepeated: false });
  addRules(random, properties['s'] ?? {}, TEXT, { chance: 0.25, isRepeated: false });
  addRules(random, properties['l']?.items ?? {}, INTEGER, { chance: 0.2, isRepeated: true });
  addRules(random, properties['q']?.items ?? {}, ITEM, { chance: 0.3, isRepeated: false });
  addRules(random, properties['m']?.additionalProperties ?? {}, INTEGER, { chance: 0.2, isRepeated: false });
  if (random.chance(0.2))
    whole['allOf'] = [{ properties: { n: { 'x-kubernetes-validations': [rule(random, INTEGER)] } } }];
  return whole;
}

/** Texts of rules about a value, most of which compile and are sometimes wrong. */
interface RulesOf {
  readonly rules: Texts;
  readonly transitions: Texts;
  readonly optional: Texts;
  readonly messages: Texts;
  readonly paths: Texts;
}

const SPEC: RulesOf = {
  rules: [
    'self.n > 1',
    '!has(self.s) || self.s.size() < 2',
    'has(self.l) && self.l.all(x, x > 0)',
    'self.l.sum() > 3',
    '!has(self.o) || self.o.a != self.s',
    'self.q.exists_one(x, x.k == "x")',
    'self.m["a"] > 0',
    'self.n / self.o.b > 1',
    'self.l[3] > 0',
    'has(self.p.a)',
    'self.e in ["x", "y"]',
    'type(self.i) == int || self.i == "x"',
    'self.d < timestamp("2024-01-01T00:00:00Z")',
    'self.u < duration("1m")',
    'self.q.all(x, self.q.all(y, x.k != y.k || x == y))',
    'self.t.matches("^(x|y)*z?$")',
    'self.t.split("").all(c, c == "x")',
    'self.q.map(x, x.k).join(",") != "x"',
    'dyn(self).n == self.n',
    'self.m.all(k, self.m[k] < 9)',
    'false',
  ],
  transitions: [
    'self == oldSelf',
    'self.n >= oldSelf.n',
    'self.l == oldSelf.l',
    'has(self.s) == has(oldSelf.s)',
    'oldSelf.q.all(x, self.q.exists(y, y.k == x.k))',
    'size(self.m) >= size(oldSelf.m)',
  ],
  optional: [
    'oldSelf.hasValue() ? self.n >= oldSelf.value().n : self.n < 5',
    'oldSelf.orValue(self).n == self.n',
    'oldSelf.optMap(o, o.s == self.s).orValue(true)',
    'oldSelf.?n.orValue(0) <= self.n',
    'self == self',
  ],
  messages: [
    '"n is " + string(self.n)',
    'self.s',
    'self.t',
    '"" + ""',
    '"a\\nb"',
    '"  padded " + self.s + "  "',
    'self.m["a"] == 1 ? "one" : "other"',
    'string(self.n / 0)',
    'self.l[5] == 1 ? "" : "x"',
    '"%d of %s".format([self.n, self.s])',
    'self.q.map(x, x.w).join(";")',
    'string(oldSelf.n)',
    'dyn(1)',
  ],
  paths: [
    '.n',
    '.o.a',
    ".m['a']",
    '.q[0]',
    '.missing',
    ".o['a']",
    "['n']",
    ".m['a\\'b']",
    ".m['\\n']",
    ".m['\\q']",
    '.s.x',
    '.m.a',
    '.p.x',
    '.q',
  ],
};

const INTEGER: RulesOf = {
  rules: ['self > 1', 'self % 2 == 0', '10 / self > 2', 'self != 3', 'false'],
  transitions: ['self == oldSelf', 'self > oldSelf'],
  optional: ['!oldSelf.hasValue() || self >= oldSelf.value()'],
  messages: ['string(self)', '"was " + string(oldSelf)', '""', 'string(1 / self)'],
  paths: ['.n', '.', ''],
};

const TEXT: RulesOf = {
  rules: ['self != "x"', 'self.size() > 1', 'self.matches("^[a-z]+$")', 'int(self) > 0', 'false'],
  transitions: ['self == oldSelf', 'self.startsWith(oldSelf)'],
  optional: ['oldSelf.orValue("") != self'],
  messages: ['self', '"got " + self', '"was " + oldSelf'],
  paths: ['.s'],
};

const ITEM: RulesOf = {
  rules: ['self.k != "x"', 'has(self.v)', 'self.v > 1', 'self.w == self.k', 'false'],
  transitions: ['self.v >= oldSelf.v', 'self == oldSelf'],
  optional: ['oldSelf.?v.orValue(0) <= self.v'],
  messages: ['"item " + self.k', 'self.w', 'string(self.v)'],
  paths: ['.v', '.w', '.k', '.z', "['v']"],
};

interface Frequency {
  readonly chance: number;
  /** True where old values cannot be found, so that rules may not read them. */
  readonly isRepeated: boolean;
}

function addRules(random: Random, schema: Schema, texts: RulesOf, { chance, isRepeated }: Frequency): void {
  if (!random.chance(chance)) return;
  const count = 1 + random.below(random.of([1, 3, 6]));
  schema['x-kubernetes-validations'] = Array.from({ length: count }, () => rule(random, texts, isRepeated));
}

function rule(random: Random, texts: RulesOf, isRepeated = false): object {
  const kind = random.next();
  const isOptional = kind < 0.12 && !isRepeated;
  const isTransition = kind < 0.3 && !isOptional && (!isRepeated || random.chance(0.1));
  return {
    rule: random.of(isOptional ? texts.optional : isTransition ? texts.transitions : texts.rules),
    ...(isOptional && { optionalOldSelf: true }),
    ...(random.chance(0.3) && { message: random.of(['refused', ' padded ', 'x'.repeat(3000)]) }),
    ...(random.chance(0.5) && { messageExpression: random.of(texts.messages) }),
    ...(random.chance(0.3) && {
      reason: random.of(['FieldValueInvalid', 'FieldValueForbidden', 'FieldValueRequired', 'FieldValueDuplicate']),
    }),
    ...(random.chance(0.3) && { fieldPath: random.of(texts.paths) }),
  };
}
