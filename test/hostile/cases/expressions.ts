import { type CustomKind, creationOf, definitionOf } from '../custom-kind.ts';
import { type HostileCase, MIB } from '../hostile-case.ts';

const text = (format: string) => ({ type: 'string', maxLength: 40, format });
const list = (items: object, maxItems = 60_000) => ({ type: 'array', items, maxItems });

const PROPERTIES = {
  numbers: list({ type: 'integer' }, 90_000),
  few: list({ type: 'integer' }, 10),
  more: list({ type: 'integer' }, 90_000),
  names: list({ type: 'string', maxLength: 10 }, 90_000),
  times: list(text('date-time')),
  days: list(text('date'), 100_000),
  durations: list(text('duration'), 100_000),
  duration: { type: 'string', format: 'duration', maxLength: 1_100_000 },
  bytes: { type: 'string', format: 'byte', maxLength: 1_400_000 },
  text: { type: 'string', maxLength: 1_500_000 },
  labels: { type: 'object', additionalProperties: { type: 'string', maxLength: 10 }, maxProperties: 10_000 },
};

/** A kind whose objects are checked by one rule. */
function checkedBy(rule: string, kind: string): CustomKind {
  const spec = { type: 'object', properties: PROPERTIES, 'x-kubernetes-validations': [{ rule }] };
  return { group: 'expressions.example.com', kind, schema: { properties: { spec } } };
}

const many = <T>(length: number, item: (index: number) => T) => Array.from({ length }, (_, index) => item(index));
const numbers = (length = 45_000) => many(length, (index) => index % 1_000);
const names = () => many(90_000, (index) => `e${index}`);
const time = (index: number) => new Date(index * 1_000).toISOString();
const labels = () => Object.fromEntries(many(10_000, (index) => [`k${index}`, `v${index}`]));
const bytes = () => Buffer.alloc(800_000, 7).toString('base64url');
const letters = () => 'x'.repeat(1_400_000);

/** Rules whose evaluation takes longest for their cost, and the objects that they check. */
const CASES: Readonly<Record<string, readonly [rule: string, spec: () => object]>> = {
  'times compared with one time': [
    'self.times.all(t, t >= timestamp("1970-01-01T00:00:00Z"))',
    () => ({ times: many(60_000, time) }),
  ],
  'two times compared again and again': [
    'self.numbers.all(n, self.times[5] < self.times[6])',
    () => ({ numbers: numbers(), times: many(10, time) }),
  ],
  'times with offsets': [
    'self.numbers.all(n, self.times[5] <= self.times[6])',
    () => ({ numbers: numbers(), times: many(10, () => '2020-01-31T10:00:00.123456+02:00') }),
  ],
  'wrong times': [
    'self.times.all(t, t > timestamp("1970-01-01T00:00:00Z") || true)',
    () => ({ times: many(60_000, (index) => `2020-13-${index}`) }),
  ],
  'wrong durations': [
    'self.durations.all(d, d > duration("1s") || true)',
    () => ({ durations: many(90_000, (index) => `1h${index}x`) }),
  ],
  'a duration and many digits': [
    'self.duration > duration("1s") || true',
    () => ({ duration: `1s${'9'.repeat(1_000_000)}` }),
  ],
  'hours in a time zone': [
    'self.times.all(t, t.getHours("Europe/Berlin") >= 0)',
    () => ({ times: many(60_000, time) }),
  ],
  'sorted days': ['self.days.isSorted()', () => ({ days: many(90_000, () => '2020-01-31') })],
  'long bytes decoded again and again': [
    'self.numbers.all(n, self.bytes.size() > 0)',
    () => ({ numbers: numbers(), bytes: `${bytes()}=` }),
  ],
  'wrong bytes decoded again and again': [
    'self.numbers.all(n, self.bytes.size() > 0 || true)',
    () => ({ numbers: numbers(), bytes: `!${bytes()}` }),
  ],
  'a replacement of each character': ['self.text.replace("x", "yy").size() > 0', () => ({ text: letters() })],
  'replacements again and again': [
    '[1, 2, 3].all(n, self.text.replace("x", "yy").size() > n)',
    () => ({ text: letters() }),
  ],
  'a match for each character': ['self.text.findAll("x").size() > 0', () => ({ text: letters() })],
  'the largest name, again and again': [
    'self.few.all(n, self.names.max() != "")',
    () => ({ few: numbers(10), names: names() }),
  ],
  'sums of lists': [
    'self.numbers + self.more == self.more + self.numbers',
    () => ({ numbers: numbers(), more: numbers() }),
  ],
  'lists compared again and again': [
    'self.numbers.all(n, [self.numbers] == [self.more])',
    () => ({ numbers: numbers(), more: numbers() }),
  ],
  'entries of a large map': [
    'self.few.all(n, self.labels.all(k, self.labels[k] != ""))',
    () => ({ few: numbers(10), labels: labels() }),
  ],
  'a large map made again': [
    'self.few.all(n, self.labels.transformMap(k, v, v).size() > 0)',
    () => ({ few: numbers(10), labels: labels() }),
  ],
  'texts of doubles': ['self.numbers.all(n, string(double(n)) != "")', () => ({ numbers: numbers(90_000) })],
  'numbers of texts': ['self.numbers.all(n, int("5" + "") == 5)', () => ({ numbers: numbers(90_000) })],
  'a long text that is no number': ['double(self.text) > 0.0 || true', () => ({ text: `${'9'.repeat(1_400_000)}x` })],
  'patterns compiled again and again': [
    'self.numbers.all(n, "x".matches("a{1,900}" + string(n)) || true)',
    () => ({ numbers: many(1_000, (index) => index) }),
  ],
  'texts with more states than can be kept': [
    'self.names.all(t, (self.text + t).matches("[ab]*a[ab]{300}$") || true)',
    () => ({ names: many(3_000, (index) => `${index}`), text: 'ab'.repeat(150) }),
  ],
  quantities: ['self.numbers.all(n, quantity("5" + "").isInteger())', () => ({ numbers: numbers(90_000) })],
};

/**
 * Rules of definitions, and objects that take them long. The first request of a case comes before its kind is served.
 */
export const EXPRESSION_CASES: readonly HostileCase[] = Object.entries(CASES).map(([name, [rule, spec]], i) => {
  const kind = checkedBy(rule, `Expression${i}`);
  return {
    name,
    before: [definitionOf(kind)],
    request: (object: string) => creationOf(kind, object, { spec: spec() }),
    // A refusal contains the refused value four times: for its format and its rule, in the message and in a cause.
    maxResponse: 5 * MIB,
  };
});
