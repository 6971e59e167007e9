import { describe, expect, it } from 'vitest';
import { patchJson } from './patch-json.js';
import { sourceAddresses } from './source-addresses.js';
import { withoutManagedFields } from './without-managed-fields.js';

async function textOfPatch(sent: string): Promise<string> {
  const parts: Uint8Array[] = [];
  for (const part of patchJson(Buffer.from(sent))) {
    if (part instanceof Uint8Array) parts.push(part);
    else await part;
  }
  return Buffer.concat(parts).toString();
}

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString();

describe('patchJson', () => {
  it.each([
    ['{"a":1}', '{"a":1}'],
    [' { "a" : [ 1 ,\t2 ]\r\n} ', '{"a":[1,2]}'],
    ['{"a b": " \\" x"}', '{"a b":" \\" x"}'],
    ['{"a":"<&>\u2028\u2029\u20ac"}', '{"a":"\\u003c\\u0026\\u003e\\u2028\\u2029\u20ac"}'],
    ['a: {b: 1}\n', '"a: {b: 1}\\n"'],
    ['{"a":', '"{\\"a\\":"'],
  ])('%j', async (sent, shown) => {
    expect(await textOfPatch(sent)).toBe(shown);
  });

  it('takes a large patch in parts, which end with whole characters', async () => {
    const value = { a: '\u2028€😀"\\<'.repeat(40_000), b: [1, { c: null }] };
    const text = JSON.stringify(value, null, 3);
    const shown = await textOfPatch(text);
    expect(shown).not.toMatch(/[<\n]/);
    expect(JSON.parse(shown)).toEqual(value);
    expect(JSON.parse(await textOfPatch(`${text}?`))).toBe(`${text}?`);
  });
});

describe('withoutManagedFields', () => {
  const FIELDS = '"managedFields":[{"a":"}]\\"","b":{"c":[]}}]';
  it.each([
    [
      `{"metadata":{${FIELDS},"name":"a"},"spec":{"managedFields":[1]}}`,
      '{"metadata":{"name":"a"},"spec":{"managedFields":[1]}}',
    ],
    [`{"metadata":{"a":1,${FIELDS},"name":"a"}}`, '{"metadata":{"a":1,"name":"a"}}'],
    [`{"metadata":{"a":1,${FIELDS}}}`, '{"metadata":{"a":1}}'],
    [`{"metadata":{${FIELDS}}}`, '{"metadata":{}}'],
    ['{"metadata":null,"a":[]}', '{"metadata":null,"a":[]}'],
    [
      `{"kind":"L","items":[{"metadata":{${FIELDS}}},1,{"metadata":{"x":"}",${FIELDS}},"s":2}],"metadata":{}}`,
      '{"kind":"L","items":[{"metadata":{}},1,{"metadata":{"x":"}"},"s":2}],"metadata":{}}',
    ],
    [
      `{"rows":[{"cells":["a",null],"object":{"metadata":{${FIELDS}}}},{"object":null}]}`,
      '{"rows":[{"cells":["a",null],"object":{"metadata":{}}},{"object":null}]}',
    ],
    ['[1,2]', '[1,2]'],
    ['""', '""'],
  ])('%s', (json, shown) => {
    const steps = withoutManagedFields(Buffer.from(json));
    let step = steps.next();
    while (!step.done) step = steps.next();
    expect(textOf(step.value)).toBe(shown);
  });
});

describe('sourceAddresses', () => {
  const of = (headers: Readonly<Record<string, string>>, remoteAddress = '10.0.0.1') =>
    sourceAddresses({
      remoteAddress,
      headers: {
        get: (name) => headers[name],
        all: (name) => (headers[name] === undefined ? [] : [headers[name] ?? '']),
        names: () => [],
      },
    });
  it.each<[Readonly<Record<string, string>>, readonly string[]]>([
    [{}, ['10.0.0.1']],
    [
      { 'x-forwarded-for': '1.1.1.1, nobody, ::FFFF:2.2.2.2 ,2001:DB8::0:1' },
      ['1.1.1.1', '2.2.2.2', '2001:db8::1', '10.0.0.1'],
    ],
    [{ 'x-forwarded-for': '1.1.1.1', 'x-real-ip': '1.1.1.1' }, ['1.1.1.1', '10.0.0.1']],
    [{ 'x-real-ip': '3.3.3.3' }, ['3.3.3.3', '10.0.0.1']],
    [{ 'x-real-ip': '10.0.0.1' }, ['10.0.0.1']],
    [
      { 'x-forwarded-for': Array.from({ length: 5_000 }, () => '1.1.1.1').join() },
      [...Array.from({ length: 1_000 }, () => '1.1.1.1'), '10.0.0.1'],
    ],
  ])('%#', (headers, addresses) => {
    expect(of(headers)).toEqual(addresses);
  });

  it('ignores a peer without an address', () => {
    expect(of({}, '')).toEqual([]);
  });
});
