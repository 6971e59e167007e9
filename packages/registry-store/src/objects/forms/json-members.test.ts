import { describe, expect, it } from 'vitest';
import { JsonMembers, jsonMember } from './json-members.js';

/** The members of an object in a text: name, value, and the whole member. */
function membersOf(text: string, at = 0): readonly (readonly string[])[] {
  const bytes = Buffer.from(text);
  const members = new JsonMembers(bytes, at);
  const found: string[][] = [];
  while (members.next()) {
    const { name, start, valueStart, end } = members;
    found.push([name, bytes.toString('utf8', valueStart, end), bytes.toString('utf8', start, end)]);
  }
  return found;
}

describe('the members of an object', () => {
  it.each([
    ['of every kind', '{"a":1,"b":-1.5e3,"c":true,"d":null,"e":"x"}', ['1', '-1.5e3', 'true', 'null', '"x"']],
    ['that are empty', '{"a":"","b":{},"c":[]}', ['""', '{}', '[]']],
    ['within each other', '{"a":{"b":{"c":[{}]}},"d":[[1],{"e":2}],"f":3}', ['{"b":{"c":[{}]}}', '[[1],{"e":2}]', '3']],
    ['with brackets in texts', '{"a":"}]{[","b":{"c":"}"},"d":["]"]}', ['"}]{["', '{"c":"}"}', '["]"]']],
    ['with escapes', '{"a":"\\"","b":"\\\\","c":{"d":"\\\\\\""}}', ['"\\""', '"\\\\"', '{"d":"\\\\\\""}']],
    ['without any', '{}', []],
    ['of an array', '[1,2]', []],
    ['of nothing', '', []],
  ])('%s have their values', (_, text, values) => {
    expect(membersOf(text).map(([, value]) => value)).toEqual(values);
  });

  it('may have space around them', () => {
    const text = '{ "a" : 1 ,\n\t"b"\n:\n[ 1 , 2 ]\n, "c":{ } }';
    expect(membersOf(text)).toEqual([
      ['a', '1 ', '"a" : 1 '],
      ['b', '[ 1 , 2 ]', '"b"\n:\n[ 1 , 2 ]'],
      ['c', '{ }', '"c":{ }'],
    ]);
  });

  it('begin at an offset, and end with their object', () => {
    const text = '{"out":{"in":1,"more":[2]},"after":3}';
    expect(membersOf(text, text.indexOf('{', 1)).map(([name, value]) => [name, value])).toEqual([
      ['in', '1'],
      ['more', '[2]'],
    ]);
    expect(membersOf('[{"a":1},{"b":2}]', 1)).toEqual([['a', '1', '"a":1']]);
  });

  it.each([
    ['{"a":1', 'a', '1'],
    ['{"a":"x', 'a', '"x'],
    ['{"a":{"b":[1', 'a', '{"b":[1'],
    ['{"a', 'a', ''],
    ['{"a":"\\', 'a', '"\\'],
    ['{"a":', 'a', ''],
  ])('end with a text that is cut off: %s', (text, name, value) => {
    expect(membersOf(text)).toEqual([[name, value, text.slice(1)]]);
  });
});

describe('a member', () => {
  const text = Buffer.from('{"ab":"cd","a":"cde","abc":"c","e":{"ab":1}}');

  it.each([
    ['ab', '"cd"'],
    ['a', '"cde"'],
    ['abc', '"c"'],
    ['b', undefined],
    ['', undefined],
    ['abcd', undefined],
  ])('is found by its whole name: %s', (name, value) => {
    const member = jsonMember(text, 0, name);
    expect(member && text.toString('utf8', member.valueStart, member.end)).toBe(value);
  });

  it.each([
    ['cd', true],
    ['c', false],
    ['cde', false],
    ['cx', false],
    ['d', false],
    ['', false],
  ])('has a text only as a whole: %j', (wanted, has) => {
    expect(jsonMember(text, 0, 'ab')?.hasText(wanted)).toBe(has);
  });

  it('with another value has no text', () => {
    expect([jsonMember(text, 0, 'e')?.hasText('ab'), jsonMember(Buffer.from('{"a":""}'), 0, 'a')?.hasText('')]).toEqual(
      [false, true],
    );
  });
});
