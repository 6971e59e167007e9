import { describe, expect, test } from 'vitest';
import { createTestExchange } from '../testing/index.js';
import { acceptsGzip } from './content-encoding.js';
import { builtInMediaTypes, structuralMediaTypes } from './media-types.js';
import { negotiateInput } from './negotiate-input.js';
import { isPretty, negotiateOutput, type OutputRestrictions, plainOutputOnly } from './negotiate-output.js';
import { parseAccept } from './parse-accept.js';

test.each<readonly [string, readonly string[]]>([
  ['', []],
  ['*', ['*/*;q=1']],
  ['application/json', ['application/json;q=1']],
  ['garbage', []],
  ['a/b/c', []],
  ['application/yaml;q=0.5, application/json;q=0.9', ['application/json;q=0.9', 'application/yaml;q=0.5']],
  ['*/*, application/*, application/json', ['application/json;q=1', 'application/*;q=1', '*/*;q=1']],
  ['*/*;q=0.9,text/html;q=0.1', ['text/html;q=0.1', '*/*;q=0.9']],
  ['text/html;q=0.1,*/*;q=0.9', ['*/*;q=0.9', 'text/html;q=0.1']],
  ['a/b;q=0.5 , c/d;q=0.7', ['c/d;q=0.7', 'a/b;q=0.5']],
  ['a/b;q= 0.5', ['a/b;q=0']],
  [`${'a/b;q=0.5,'.repeat(12)}c/d`, ['c/d;q=1', ...Array(12).fill('a/b;q=0.5')]],
  ['a/b;q=x', ['a/b;q=0']],
  ['a/b; as=Table ;v = v1;broken;x=', ['a/b;q=1;as=Table;v=v1']],
  ['a/b;x=1=2', ['a/b;q=1']],
  [' a / b ', ['a/b;q=1']],
])('parseAccept(%j)', (header, expected) => {
  const shown = parseAccept(header).map(({ type, subtype, quality, params }) =>
    [`${type}/${subtype}`, `q=${quality}`, ...[...params].map(([name, value]) => `${name}=${value}`)].join(';'),
  );
  expect(shown).toEqual(expected);
});

test.each<[string, string, number]>([
  ['alternatives', `${'a/b,'.repeat(200)}c/d`, 100],
  ['parameters', `a/b${Array.from({ length: 200 }, (_, i) => `;p${i}=1`).join('')}`, 100],
])('parseAccept reads the first hundred %s', (_, header, expected) => {
  const clauses = parseAccept(header);
  expect(Math.max(clauses.length, clauses[0]?.params.size ?? 0)).toBe(expected);
});

describe('negotiateOutput', () => {
  const everything: OutputRestrictions = {
    allowsTransform: () => true,
    allowsServerVersion: (version) => version === 'v1',
  };
  const table = { kind: 'Table', version: 'v1', group: 'meta.k8s.io' };
  const PROTOBUF = 'application/vnd.kubernetes.protobuf';

  test.each<readonly [string | undefined, string | undefined, object | undefined]>([
    [undefined, 'application/json', undefined],
    ['', 'application/json', undefined],
    ['*/*', 'application/json', undefined],
    ['application/*', 'application/json', undefined],
    ['*/json', undefined, undefined],
    ['text/html', undefined, undefined],
    ['text/html, application/yaml', 'application/yaml', undefined],
    [`${PROTOBUF},application/json`, PROTOBUF, undefined],
    [`${PROTOBUF};stream=watch`, PROTOBUF, undefined],
    ['application/json;stream=other', undefined, undefined],
    ['application/yaml;stream=watch', undefined, undefined],
    ['application/json;sv=v1', 'application/json', undefined],
    ['application/json;sv=v2', undefined, undefined],
    ['application/json;charset=utf-8', 'application/json', undefined],
    ['application/json;as=Table;v=v1;g=meta.k8s.io', 'application/json', table],
  ])('%s', (accept, mediaType, transform) => {
    const output = negotiateOutput(accept, builtInMediaTypes, everything);
    expect([output?.mediaType, output?.transform]).toEqual([mediaType, transform]);
  });

  test('a kubectl that prefers Tables gets plain responses where there are none', () => {
    const accept =
      'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json';
    expect(negotiateOutput(accept, builtInMediaTypes, plainOutputOnly)?.transform).toBeUndefined();
    expect(negotiateOutput('application/json;as=Table', builtInMediaTypes, plainOutputOnly)).toBeUndefined();
  });

  test('kinds without protobuf', () => {
    expect(negotiateOutput(`${PROTOBUF},application/json`, structuralMediaTypes, everything)?.mediaType).toBe(
      'application/json',
    );
  });
});

test.each([
  [undefined, 'application/json'],
  ['', 'application/json'],
  ['Application/YAML; charset=x', 'application/yaml'],
  ['application/json;', 'application/json'],
  ['application/json; charset="u\\tf" ; Charset=utf', 'application/json'],
])('negotiateInput(%j)', (contentType, expected) => {
  expect(negotiateInput(contentType, builtInMediaTypes)).toBe(expected);
});

test.each(['text/plain', 'application/json; charset', 'application/json; a=1; a=2', 'application/json;;a=1', '*/*'])(
  'negotiateInput(%j) refuses',
  (contentType) => {
    const message =
      'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf';
    expect(() => negotiateInput(contentType, builtInMediaTypes)).toThrow(message);
  },
);

test.each([
  ['gzip', true],
  ['br, gzip', true],
  ['gzip;q=0', false],
  ['*', false],
  [undefined, false],
])('acceptsGzip(%j)', (encoding, expected) => {
  const headers: Record<string, string> = encoding === undefined ? {} : { 'Accept-Encoding': encoding };
  const exchange = createTestExchange({ headers });
  expect(acceptsGzip(exchange)).toBe(expected);
  exchange.context.isUncompressed = true;
  expect(acceptsGzip(exchange)).toBe(false);
});

test.each([
  ['/', '', false],
  ['/', 'curl/8.5.0', true],
  ['/', 'Wget/1', true],
  ['/', 'Mozilla/5.0 (X11)', true],
  ['/', 'kubectl/v1.36', false],
  ['/?pretty=0', 'curl/8.5.0', false],
  ['/?pretty=', 'curl/8.5.0', true],
  ['/?pretty=T', '', true],
])('isPretty(%s, %s)', (url, agent, expected) => {
  expect(isPretty(createTestExchange({ url, headers: { 'User-Agent': agent } }).request)).toBe(expected);
});

test('the alternatives of a header are found again, and those of many headers need bounded memory', () => {
  const header = 'application/json;as=Table, text/*;q=0.5';
  const first = parseAccept(header);
  const again = parseAccept(header);
  for (let i = 0; i < 100; i++) parseAccept(`text/${i}`);
  const [long, longAgain] = [1, 2].map(() => parseAccept(`text/plain,${'a'.repeat(300)}/b`));
  // The header has been forgotten, and is parsed to the same alternatives.
  expect([again === first, parseAccept(header) === first, long === longAgain]).toEqual([true, false, false]);
  expect(parseAccept(header)).toEqual(first);
});
