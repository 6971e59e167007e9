import { expect, test } from 'vitest';
import { evaluateText } from '../testing/evaluate-text.js';
import { ArrayList } from '../values/lists.js';
import { dynView } from '../views/dyn-view.js';
import { PreservedValue } from '../views/preserved-value.js';

const numbers = new ArrayList(Array.from({ length: 200_000 }, (_, index) => index % 1_000));
const nested = new ArrayList(Array.from({ length: 2_000 }, () => new ArrayList(Array.from({ length: 100 }, () => 1))));
const names = new ArrayList(Array.from({ length: 130_000 }, (_, index) => `n${index}`));
const pairs = () => new ArrayList(Array.from({ length: 60_000 }, () => new ArrayList([1])));
const json = { list: Array.from({ length: 30_000 }, (_, index) => ({ a: index })) };
const version = `1.0.0-${'a.'.repeat(100_000)}b`;

/** Its count is no finite number. */
const wrong = `{${'9'.repeat(400)}}`;
const patterns = new ArrayList(Array.from({ length: 1_000 }, (_, index) => `a{1,900}${index}`));

/** Binds x to `first`, then to what `next` makes of x, again and again. The brackets that it opens stay open. */
function doubled(first: string, next: string, times = 40): string {
  return `[${first}].all(x, ${`[${next}].all(x, `.repeat(times - 1)}`;
}

test.each([
  ['sort', 'numbers.sort().size()'],
  ['format', '"%s".format([numbers]).size()'],
  ['distinct', 'nested.distinct().size()'],
  ['sets', 'sets.contains(nested, nested)'],
  ['versions', '[semver(version)].all(v, lists.range(300).all(i, v.compareTo(v) == 0))'],
  ['quantities', 'lists.range(100000).all(i, isQuantity("5"))'],
  ['URLs', 'lists.range(25000).all(i, isURL("http://a"))'],
  ['networks', 'lists.range(60000).all(i, isCIDR("1.2.3.0/24"))'],
  ['addresses', 'lists.range(100000).all(i, isIP("1.2.3.4"))'],
  ['a long version', 'isSemver(version) && lists.range(20).all(i, isSemver(version))'],
  ['texts in lists', '"%s".format([names]).size() > 0'],
  ['nested lists', 'lists.range(20).all(i, shallow == others)'],
  ['parts of times', 'lists.range(90000).all(i, timestamp(i).getDayOfYear() >= 0)'],
  ['texts of doubles', 'lists.range(90000).all(i, string(double(i)) != "")'],
  ['the largest element', 'lists.range(20).all(i, names.max() != "")'],
  ['places of elements', 'lists.range(20).all(i, names.lastIndexOf("zz") < 0)'],
  ['texts made again and again', 'lists.range(10).all(i, version.replace("a", "bbbbbb") != "")'],
  ['a list in itself, again and again', `${doubled('[[1]]', '[x, x]')}"%s".format([x]) == ""${')'.repeat(40)}`],
  ['its search', `${doubled('[[1]]', '[x, x]')}x.indexOf(x[0]) == 1${')'.repeat(40)}`],
  ['its comparison', `${doubled('[[1]]', '[x, x]')}x.distinct() == []${')'.repeat(40)}`],
  [
    'optional values of it',
    `${doubled('[[1]]', '[x, x]', 24)}[optional.of(x)].indexOf(optional.of(x)) == 1${')'.repeat(24)}`,
  ],
  [
    'sets of these',
    `${doubled('[[1]]', '[x, x]', 24)}sets.contains([optional.of(x)], [optional.of(x)])${')'.repeat(24)}`,
  ],
  ['empty lists in it', `${doubled('[[]]', '[x, x]')}x.flatten(50) == []${')'.repeat(40)}`],
  ['a list added to itself', `${doubled('["a"]', 'x + x')}x.size() > 0${')'.repeat(40)}`],
  ['a long list that is joined', `${doubled('["a"]', 'x + x', 24)}x.join("").size() > 0${')'.repeat(24)}`],
  ['patterns', 'patterns.all(p, "x".matches(p) || true)'],
  ['a long pattern', '"x".matches(version)'],
  ['a format behind a wrong pattern', '"x".matches(wrong) || "%s".format([numbers]).size() > 0'],
  ...['open', 'kept'].flatMap((name) => [
    [`errors that show it in a map: ${name}`, `lists.range(100).all(i, {?"a": ${name}} == {} || true)`],
    [`errors that show it in a list: ${name}`, `lists.range(100).all(i, [?${name}] == [] || true)`],
    [`errors that show it in a text: ${name}`, `lists.range(100).all(i, ["a", ${name}].join() == "" || true)`],
  ]),
  ['sums', 'lists.range(100000).all(i, quantity("1").add(i).isInteger())'],
])('work beyond the cost ends an evaluation: %s', (_, expression) => {
  expect(
    evaluateText(expression, {
      numbers,
      nested,
      version,
      names,
      patterns,
      wrong,
      shallow: pairs(),
      others: pairs(),
      open: dynView(json),
      kept: new PreservedValue(json),
    })[0],
  ).toBe('error: operation cancelled: actual cost limit exceeded');
});
