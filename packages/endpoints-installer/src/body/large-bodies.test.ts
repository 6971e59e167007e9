import type { KubeObject } from '@apiserver/apimachinery';
import type { YamlText } from '@apiserver/apimachinery/codec/yaml';
import { DecodeError } from '@apiserver/apimachinery/errors';
import { describe, expect, it } from 'vitest';
import { createTestServer } from '../testing/test-server.js';
import { CONFIG_MAP_A, CONFIG_MAPS, serverWithA } from '../testing/write-fixtures.js';
import {
  MAX_BODY_VALUES,
  MAX_MANAGED_VALUES,
  refuseManyAdded,
  refuseManyCborItems,
  refuseManyMembers,
  refuseManyValues,
} from './body-values.js';
import { inTurns, yieldFor } from './event-loop-turns.js';

const encode = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const zeros = (count: number) => Array.from({ length: count }, () => 0);

describe('refuseManyValues', () => {
  const most = zeros(MAX_BODY_VALUES - 1);
  const refused = 'an object may have at most 100000 fields, keys and list items';
  const keys = Object.fromEntries(zeros(MAX_BODY_VALUES).map((_, i) => [`key ${i}`, '[,{']));

  it.each<[string, unknown, boolean]>([
    ['as many as may be', { a: most }, false],
    ['one more', { a: [...most, 0] }, true],
    ['as many keys', keys, false],
    ['one more key', { ...keys, more: 0 }, true],
    ['empty ones are one each', { a: most.map((_, i) => (i % 2 === 0 ? {} : [])) }, false],
    ['what is deeper', { a: { b: [[[...most, 0]]] } }, true],
    ['texts of commas and brackets', { a: ',{[\\"'.repeat(MAX_BODY_VALUES) }, false],
  ])('%s', (_, value, isRefused) => {
    for (const text of [JSON.stringify(value), JSON.stringify(value, undefined, 1)]) {
      const check = () => refuseManyValues(encode(text), 'application/json');
      if (isRefused) expect(check).toThrow(refused);
      else expect(check).not.toThrow();
    }
    const check = () => refuseManyMembers(value);
    if (isRefused) expect(check).toThrow(refused);
    else expect(check).not.toThrow();
  });

  it.each<[string, number, number, boolean]>([
    ['a small object grows up to the bound', 10, MAX_BODY_VALUES - 2, false],
    ['a small object grows beyond the bound', 10, MAX_BODY_VALUES, true],
    ['an object beyond the bound gets a few more', 120_000, 120_900, false],
    ['an object beyond the bound gets many more', 120_000, 121_100, true],
    ['an object beyond the bound shrinks', 120_000, 119_000, false],
  ])('%s', (_, before, after, isRefused) => {
    const check = () => refuseManyAdded({ a: zeros(after) }, { a: zeros(before) });
    if (isRefused) expect(check).toThrow(refused);
    else expect(check).not.toThrow();
  });

  const managed = (count: number) => ({ metadata: { managedFields: zeros(count) } });

  it.each<[string, unknown, boolean]>([
    ['beside as many values as may be', { ...managed(MAX_MANAGED_VALUES), a: zeros(MAX_BODY_VALUES - 3) }, false],
    ['beside one more value', { ...managed(MAX_MANAGED_VALUES), a: zeros(MAX_BODY_VALUES - 2) }, true],
    ['in front of them', { a: 0, metadata: { b: 'metadata', managedFields: zeros(MAX_BODY_VALUES), c: 0 } }, false],
    ['one too many', managed(MAX_MANAGED_VALUES + 1), true],
    ['with objects in them', { metadata: { managedFields: [{ f: { metadata: zeros(MAX_BODY_VALUES) } }] } }, false],
    ['of no metadata', { metadata: {}, spec: { managedFields: zeros(MAX_BODY_VALUES) } }, true],
    ['of metadata further down', { spec: managed(MAX_BODY_VALUES) }, true],
    ['that are a text', { metadata: { a: 'managedFields', b: zeros(MAX_BODY_VALUES) } }, true],
    ['behind which other metadata comes', { metadata: { managedFields: [], b: zeros(MAX_BODY_VALUES) } }, true],
    ['behind which other fields come', { metadata: { managedFields: [] }, b: zeros(MAX_BODY_VALUES) }, true],
  ])('counts managed fields for themselves: %s', (_, value, isRefused) => {
    for (const text of [JSON.stringify(value), JSON.stringify(value, undefined, 1)]) {
      const check = () => refuseManyValues(encode(text), 'application/json');
      if (isRefused) expect(check).toThrow(refused);
      else expect(check).not.toThrow();
    }
    for (const check of [() => refuseManyMembers(value), () => refuseManyAdded(value, {})]) {
      if (isRefused) expect(check).toThrow(refused);
      else expect(check).not.toThrow();
    }
  });

  it('leaves text that is nested too deep to the parser', () => {
    expect(() => refuseManyValues(encode('['.repeat(1_000_000)), 'application/json')).not.toThrow();
  });

  it('does not scan text that is too short for so many', () => {
    const short = new Uint8Array(2 * MAX_BODY_VALUES);
    const unread = new Proxy(short, {
      get: (target, name) => {
        if (name === 'length') return target.length;
        throw new Error(`${String(name)} was read`);
      },
    });
    expect(() => refuseManyValues(unread, 'application/json')).not.toThrow();
  });
});

describe('refuseManyCborItems', () => {
  const items = (count: number, item: readonly number[]) =>
    Buffer.concat([Buffer.of(0x9f), Buffer.alloc(count * item.length, Uint8Array.from(item)), Buffer.of(0xff)]);
  const most = 2 * MAX_BODY_VALUES;

  it.each<[string, Buffer, boolean]>([
    ['as many as may be', items(most - 2, [0xa0]), false],
    ['one more', items(most - 1, [0xa0]), true],
    [
      'numbers with bytes behind their heads',
      items(most - 2, [0xfb, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]),
      false,
    ],
    ['short texts', items(most - 2, [0x62, 0xa0, 0xa0]), false],
    [
      'a text whose length has its own bytes',
      Buffer.concat([Buffer.of(0x7a, 0, 8, 0, 0), Buffer.alloc(0x80000, 0xa0)]),
      false,
    ],
    ['pieces of a text', items(most, [0x60]), true],
    ['tags', items(most, [0xd9, 0xd9, 0xf7]), true],
    ['lengths beyond all bodies', Buffer.concat([Buffer.alloc(9, 0x7b), Buffer.alloc(300_000)]), false],
  ])('%s', (_, bytes, isRefused) => {
    const check = () => refuseManyCborItems(bytes);
    if (isRefused) expect(check).toThrow('an object may have at most 100000 fields, keys and list items');
    else expect(check).not.toThrow();
  });
});

describe('values of options', () => {
  it.each<[number, number]>([
    [MAX_BODY_VALUES - 3, 200],
    [MAX_BODY_VALUES, 413],
  ])('%d in a DELETE: %d', async (count, status) => {
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', x: zeros(count) });
    const request = { method: 'DELETE', url: CONFIG_MAP_A, headers: { 'Content-Type': 'application/json' }, body };
    expect((await serverWithA().call(request)).status).toBe(status);
  });
});

describe('values from aliases', () => {
  const text = (count: number) =>
    `{kind: ConfigMap, apiVersion: v1, metadata: {name: a}, ` +
    `x: &x [${zeros(2_000)}], y: [${Array.from({ length: count }, () => '*x')}]}`;

  it.each([
    ['POST', CONFIG_MAPS, 'application/yaml', 201],
    ['PATCH', `${CONFIG_MAP_A}?fieldManager=m`, 'application/apply-patch+yaml', 500],
  ])('count in a %s', async (method, url, type, taken) => {
    const send = async (count: number) => {
      const request = { method, url, headers: { 'Content-Type': type }, body: text(count) };
      return (await createTestServer().call(request)).status;
    };
    expect([await send(40), await send(60)]).toEqual([taken, 413]);
  });
});

describe('inTurns', () => {
  function* steps(log: string[]): Generator<void, KubeObject> {
    log.push('first');
    yield;
    log.push('second');
    return { apiVersion: 'v1', kind: 'A', metadata: {} };
  }

  it('is for bodies above 64 KiB', () => {
    expect(yieldFor(undefined)).toBe(undefined);
    expect(yieldFor(new Uint8Array(65_536))).toBe(undefined);
  });

  it.each<[string, string, boolean]>([
    ['no alias', 'a: &x [1]', false],
    ['a few aliases of little', 'a: &x [1]\nb: [*x, *x]', false],
    ['many aliases', `a: &x [1]\nb: [${Array(8).fill('*x')}]`, true],
    ['an alias of much', `a: &x [${zeros(3_000)}]\nb: *x`, true],
    ['an alias behind an indicator', `{"a":&x ${JSON.stringify(zeros(3_000))},"b":*x}`, true],
    ['a wildcard and a conjunction in text', `{"a":"*","b":"x&&y${' '.repeat(5_000)}"}`, false],
  ])('treats YAML as large if its aliases can expand to much: %s', (_, yaml, isLarge) => {
    expect(yieldFor(encode(yaml), 'application/yaml') !== undefined).toBe(isLarge);
    expect(yieldFor(encode(yaml), 'application/apply-patch+yaml') !== undefined).toBe(isLarge);
    expect(yieldFor(encode(yaml), 'application/json')).toBe(undefined);
  });

  it('yields before each further step of large work', async () => {
    const log: string[] = [];
    setImmediate(() => log.push('another'));
    const yieldToEventLoop = yieldFor(new Uint8Array(65_537));
    if (yieldToEventLoop === undefined) throw new TypeError('a large body gives no way');
    expect(await inTurns(steps(log), yieldToEventLoop)).toMatchObject({ kind: 'A' });
    expect(log).toEqual(['first', 'another', 'second']);
  });
});

describe('YAML above 64 KiB', () => {
  const large = `# ${'x'.repeat(65_536)}\n`;
  const object = 'kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: b\n';
  const result = (json: string, duplicates?: string) => ({ json: encode(json), duplicates });
  const read = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'c' }, data: { read: 'beside' } };
  const apply = `${CONFIG_MAPS}/b?fieldManager=m&fieldValidation=Strict`;
  const create = `${CONFIG_MAPS}?fieldValidation=Strict`;

  it.each([
    ['POST', create, 'application/yaml', 201],
    ['PUT', CONFIG_MAP_A, 'application/yaml', 400],
    ['DELETE', CONFIG_MAP_A, 'application/yaml', 400],
    ['PATCH', apply, 'application/apply-patch+yaml', 400],
  ])('is parsed by what the server has for it: %s %s', async (method, url, type, status) => {
    const requested: unknown[] = [];
    const server = createTestServer({
      parseLargeYaml: async (bytes, maxValues, signal) => {
        requested.push([bytes.length, maxValues, signal.aborted]);
        return result(JSON.stringify(read));
      },
    });
    const send = (body: string) => server.call({ method, url, headers: { 'Content-Type': type }, body });
    await send(object);
    expect(requested).toEqual([]);
    expect((await send(large + object)).status).toBe(status);
    expect(requested).toEqual([[large.length + object.length, MAX_BODY_VALUES, false]]);
    const aliases = `x: &x [1]\ny: [${Array(8).fill('*x')}]\n${object}`;
    await send(aliases);
    expect(requested[1]).toEqual([aliases.length, MAX_BODY_VALUES, false]);
    // JSON on one line is parsed in place.
    await send(JSON.stringify({ ...read, data: { text: large.slice(0, -1) } }));
    expect(requested).toHaveLength(2);
  });

  it.each<[string, () => Promise<YamlText | undefined>, number, string]>([
    ['too many values', async () => undefined, 413, 'at most 100000 fields'],
    [
      'many by aliases',
      async () => result(JSON.stringify({ ...read, x: zeros(200_000) })),
      413,
      'at most 100000 fields',
    ],
    [
      'no YAML',
      async () => {
        throw new DecodeError('syntax', 'yaml: line 1: why');
      },
      400,
      'the object provided is unrecognized (must be of type ConfigMap): yaml: line 1: why',
    ],
    [
      'a thread that died',
      async () => {
        throw new Error('the thread has ended');
      },
      500,
      'the thread has ended',
    ],
    [
      'keys that occur twice',
      async () => result(JSON.stringify(read), 'yaml: unmarshal errors:\n  line 1: twice'),
      400,
      'line 1: twice',
    ],
  ])('tells of %s', async (_, parseLargeYaml, status, message) => {
    const server = createTestServer({ parseLargeYaml });
    const headers = { 'Content-Type': 'application/yaml' };
    const response = await server.call({ method: 'POST', url: create, headers, body: large + object });
    expect(response.status).toBe(status);
    expect(JSON.stringify(response)).toContain(message.replaceAll('\n', '\\n'));
  });
});
