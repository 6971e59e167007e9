import { TimeSlice } from '@apiserver/apimachinery/clock';
import { describe, expect, it } from 'vitest';
import { mergeRemoteSpec } from './merge-remote-spec.js';
import { readRemoteSpec } from './read-remote-spec.js';

const PREFIX = '/apis/example.com/v1/';
const reference = (name: string) => ({ $ref: `#/definitions/${name}` });
const operation = (schema: object) => ({ get: { responses: { 200: { description: 'OK', schema } } } });
const textsOf = (members: object) => new Map(Object.entries(members).map(([name, one]) => [name, JSON.stringify(one)]));
const valuesOf = (texts: ReadonlyMap<string, string>) =>
  Object.fromEntries([...texts].map(([name, text]) => [name, JSON.parse(text)]));

async function merge(own: { readonly paths?: object; readonly definitions?: object }, document: object) {
  const parts = {
    paths: textsOf(own.paths ?? {}),
    definitions: textsOf(own.definitions ?? {}),
    parameters: textsOf({}),
  };
  await mergeRemoteSpec(parts, await readRemoteSpec(JSON.stringify(document), PREFIX), new TimeSlice());
  return { paths: valuesOf(parts.paths), definitions: valuesOf(parts.definitions) };
}

describe('the document of a server', () => {
  it('has the paths of its APIService, and what they need', async () => {
    const document = {
      paths: {
        '/apis/': operation(reference('List')),
        [`${PREFIX}things`]: operation(reference('Thing')),
        [`${PREFIX}things/{name}`]: operation({ type: 'string' }),
      },
      definitions: { List: {}, Thing: { properties: { part: reference('Part') } }, Part: {}, Unused: {} },
    };
    const { paths, definitions } = await merge({}, document);
    expect(Object.keys(paths)).toEqual([`${PREFIX}things`, `${PREFIX}things/{name}`]);
    expect(Object.keys(definitions)).toEqual(['Thing', 'Part', 'Unused']);
  });

  it('shares equal definitions with ours, and gives others another name', async () => {
    const kinds = (...groups: readonly string[]) => ({
      'x-kubernetes-group-version-kind': groups.map((group) => ({ group, kind: 'Same', version: 'v1' })),
    });
    const own = { definitions: { Same: { type: 'object', ...kinds('b') }, Other: { type: 'string' } } };
    const path = `${PREFIX}things`;
    const document = {
      paths: { [path]: operation(reference('Other')) },
      definitions: {
        Same: { ...kinds('a', 'b'), type: ['object'], description: '' },
        Other: { items: reference('Same') },
      },
    };
    expect(await merge(own, document)).toEqual({
      paths: { [path]: operation(reference('Other_v2')) },
      definitions: {
        Same: { type: 'object', ...kinds('a', 'b') },
        Other: { type: 'string' },
        Other_v2: { items: reference('Same') },
      },
    });
  });

  it('does not replace our paths', async () => {
    const path = `${PREFIX}things`;
    const own = { paths: { [path]: operation({ type: 'string' }) } };
    const document = { paths: { [path]: operation(reference('A')) }, definitions: { A: {} } };
    expect(await merge(own, document)).toEqual({ ...own, definitions: {} });
  });

  it('adds nothing if its kinds are malformed', async () => {
    const own = { definitions: { A: { 'x-kubernetes-group-version-kind': [] } } };
    const document = {
      paths: { [`${PREFIX}a`]: {} },
      definitions: { A: { 'x-kubernetes-group-version-kind': 'A' }, B: {} },
    };
    await expect(merge(own, document)).rejects.toThrow('expected slice of GroupVersionKinds');
  });

  it.each([
    ['no JSON', '{'],
    ['text behind it', '{}{'],
    ['a comma too many', '{"swagger":"2.0",}'],
    ['a part that is no JSON', '{"paths":{"/a":{]}}'],
    ['null', 'null'],
    ['a list of paths', '{"paths":[]}'],
    ['another type of a member', '{"host":1}'],
    ['a part that is too long', JSON.stringify({ 'x-a': 'x'.repeat(2 ** 20) })],
    [
      'too many paths',
      JSON.stringify({ paths: Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [`/${i}`, {}])) }),
    ],
    ['lists in lists', `{"x-a":${'['.repeat(1_001)}${']'.repeat(1_001)}}`],
  ])('is refused: %s', async (_, text) => {
    await expect(readRemoteSpec(text, PREFIX)).rejects.toThrow(/./);
  });

  it('is refused if it adds more than 2 MiB, in several turns of the loop', async () => {
    const definition = {
      properties: Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`p${i}`, { type: 'string' }])),
    };
    const path = operation(reference('D0'));
    const definitions = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`D${i}`, definition]));
    const text = JSON.stringify({ paths: { [`${PREFIX}a`]: path }, definitions });
    expect(text.length).toBeGreaterThan(10 * 2 ** 20);
    let turns = 0;
    let next = setImmediate(function count() {
      turns++;
      next = setImmediate(count);
    });
    await expect(readRemoteSpec(text, PREFIX)).rejects.toThrow('the document is too large');
    clearImmediate(next);
    // Without pauses, it takes none.
    expect(turns).toBeGreaterThan(2);
  });
});
