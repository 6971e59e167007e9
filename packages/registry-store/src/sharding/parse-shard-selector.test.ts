import { describe, expect, it } from 'vitest';
import { hashField } from './hash-field.js';
import { parseShardSelector } from './parse-shard-selector.js';
import { shardSelectorOf } from './shard-selector-of.js';

const ZERO = '0x0000000000000000';
const HALF = '0x8000000000000000';
const END = '0x10000000000000000';
const UID = 'object.metadata.uid';
const range = (start: string, end: string, path = UID) => `shardRange(${path}, '${start}', '${end}')`;

describe('a shard selector', () => {
  it.each([
    ['', halves(0xcbf29ce4, 0x84222325)],
    ['a', halves(0xaf63dc4c, 0x8601ec8c)],
    ['foobar', halves(0x85944171, 0xf73967e8)],
    ['ü', halves(0x0ac20a07, 0xb71807ea)],
  ])('hashes %j as FNV-1a', (text, hash) => expect(hashField(text)).toEqual(hash));

  it.each([
    [range(ZERO, HALF), 'uid', range(ZERO, HALF)],
    [
      ` x.shardRange(object.metadata.namespace, "${HALF}", r'${END}')\n`,
      'namespace',
      range(HALF, END, 'object.metadata.namespace'),
    ],
    [`(${range(ZERO, HALF)}) || ${range(HALF, END)}`, 'uid', `${range(ZERO, HALF)} || ${range(HALF, END)}`],
  ])('reads %j', (text, field, shown) => expect(parseShardSelector(text)).toMatchObject({ field, text: shown }));

  it('matches hashes in any of its ranges', () => {
    const [low, high] = [parseShardSelector(range(ZERO, HALF)), parseShardSelector(range(HALF, END))];
    const hash = '0xaf63dc4c8601ec8c';
    const next = '0xaf63dc4c8601ec8d';
    const only = parseShardSelector(`${range(ZERO, '0x0000000000000001')} || ${range(hash, next)}`);
    const others = parseShardSelector(`${range(next, END)} || ${range(ZERO, hash)} || ${range(ZERO, HALF)}`);
    const touching = parseShardSelector(`${range(hash, END)} || ${range(ZERO, hash)}`);
    const matching = [low, high, only, others, touching].map((one) => ['a', ''].map((value) => one.matches(value)));
    expect(matching).toEqual([
      ...[
        [false, false],
        [true, true],
        [true, false],
        [false, true],
        [true, true],
      ],
    ]);
  });

  it.each([
    ['  ', 'empty shard selector is not allowed; omit the parameter for unfiltered lists'],
    [
      'a ||',
      "CEL parse error: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
    ],
    [`${range(HALF, HALF)} || $`, "CEL parse error: Syntax error: token recognition error at: '$'"],
    ['a', 'unexpected expression kind 3; expected shardRange() call or || operator'],
    ['a && b', 'unsupported function "_&&_"; only shardRange() and || are allowed'],
    ['shardRange()', 'shardRange() requires exactly 3 arguments, got 0'],
    [
      "shardRange([], '', '')",
      'shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind 4',
    ],
    [
      "shardRange(metadata.uid, '', '')",
      'unsupported field path "metadata.uid"; supported: object.metadata.uid, object.metadata.namespace',
    ],
    [`shardRange(${UID}, a, '')`, "hexStart must be a string literal (e.g. '0xff'), got expression kind 3"],
    [`shardRange(${UID}, 1u, '')`, 'hexStart must be a string literal, got uint64'],
    [range(ZERO, '1'), 'hexEnd must have \'0x\' prefix, got "1"'],
    [range('0x', ''), "hexStart: hex value is required after '0x'"],
    [range(`${END}0`, ''), 'hexStart: hex value too long (18 chars, max 17): "100000000000000000"'],
    [range('0xA', ''), 'hexStart: invalid hex character "A" in "0xA"'],
    [
      range('0xa', ''),
      'hexStart must be a 0x-prefixed 16-digit hex value, got "0xa" (did you mean "0x000000000000000a"?)',
    ],
    [
      range(ZERO, '0x10000000000000001'),
      `hexEnd: 17-digit hex value must be '${END}' (2^64), got "0x10000000000000001"`,
    ],
    [range(HALF, HALF), `shard range start ${HALF} must be less than end ${HALF}`],
    [
      `${range(ZERO, HALF)} || ${range(ZERO, HALF, 'object.metadata.namespace')}`,
      'all shard ranges must use the same field, got "object.metadata.uid" and "object.metadata.namespace"',
    ],
  ])('refuses %j', async (text, message) => {
    expect(() => parseShardSelector(text)).toThrow(expect.objectContaining({ message }));
    await expect(shardSelectorOf(text)).rejects.toMatchObject({
      status: { code: 500, message: `invalid shard selector: ${message}` },
    });
  });

  it('of many ranges is found in few steps', () => {
    const digits = (at: number) => `0x${(at * 2).toString(16).padStart(16, '0')}`;
    const text = Array.from({ length: 1_200 }, (_, at) => range(digits(at), digits(at).replace(/.$/, 'f'))).join(
      ' || ',
    );
    expect([text.length < 100_000, parseShardSelector(text).matches('a')]).toEqual([true, false]);
    expect(() => parseShardSelector(`${text} ||`)).toThrow('an expression of more than 16384 characters must have');
    expect(() => parseShardSelector(`${text} || ${text}`)).toThrow('expression code point size exceeds limit');
  });
});

function halves(high: number, low: number) {
  return { high, low };
}
