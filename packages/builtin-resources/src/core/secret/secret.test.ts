import type { Secret } from '@apiserver/api/core/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { secrets } from './index.js';

const context = testContext();
const { strategy } = secrets;
const base64 = (text: string) => Buffer.from(text).toString('base64');

function secret(fields: Partial<Secret> = {}): Secret {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '1' },
    type: 'Opaque',
    ...fields,
  };
}

const JSON_TYPE = { type: 'kubernetes.io/dockerconfigjson' };
const JSON_PATH = 'data[.dockerconfigjson]';
const REDACTED = `${JSON_PATH}: Invalid value: "<secret contents redacted>"`;

it.each<[string, Partial<Secret>, string]>([
  ['nothing in it', {}, ''],
  ['1 MiB', { data: { a: Buffer.alloc(1024 * 1024).toString('base64') } }, ''],
  [
    'more than 1 MiB',
    { data: { a: Buffer.alloc(1024 * 1024).toString('base64'), b: 'AA==' } },
    'data: Too long: may not be more than 1048576 bytes',
  ],
  [
    'bad keys',
    { data: { 'a b': '', '..': '' } },
    "[data[..]: Invalid value: \"..\": must not be '..', data[a b]: Invalid value: \"a b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')]",
  ],
  ['any type', { type: 'example.com/x' }, ''],
  [
    'a token without its account',
    { type: 'kubernetes.io/service-account-token' },
    'metadata.annotations[kubernetes.io/service-account.name]: Required value',
  ],
  ['old registry credentials', { type: 'kubernetes.io/dockercfg' }, 'data[.dockercfg]: Required value'],
  ['no registry credentials', JSON_TYPE, `${JSON_PATH}: Required value`],
  ['registry credentials', { ...JSON_TYPE, data: { '.dockerconfigjson': base64('{"auths":{}}') } }, ''],
  [
    'registry credentials that are no JSON',
    { ...JSON_TYPE, data: { '.dockerconfigjson': base64('no json') } },
    `${REDACTED}: invalid character 'o' in literal null (expecting 'u')`,
  ],
  [
    'registry credentials that are no object',
    { ...JSON_TYPE, data: { '.dockerconfigjson': base64('[]') } },
    `${REDACTED}: json: cannot unmarshal array into Go value of type map[string]interface {}`,
  ],
  ...Object.entries({ '1e400': 'number', ' [1e400]': 'array' }).map(
    ([text, kind]): [string, Partial<Secret>, string] => [
      `a number beyond all floats in ${text}`,
      { ...JSON_TYPE, data: { '.dockerconfigjson': base64(text) } },
      `${REDACTED}: json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`,
    ],
  ),
  [
    'a number beyond all floats in an object',
    { ...JSON_TYPE, data: { '.dockerconfigjson': base64('{"a":1e400}') } },
    `${REDACTED}: json: cannot unmarshal number 1e400 into Go value of type float64`,
  ],
  ['null as a value, which has no bytes', { data: JSON.parse('{"a":null}') }, ''],
  [
    'null as registry credentials',
    { ...JSON_TYPE, data: JSON.parse('{".dockerconfigjson":null}') },
    `${REDACTED}: unexpected end of JSON input`,
  ],
  ['a password', { type: 'kubernetes.io/basic-auth', data: { password: '' } }, ''],
  [
    'neither user nor password',
    { type: 'kubernetes.io/basic-auth' },
    '[data[username]: Required value, data[password]: Required value]',
  ],
  [
    'an empty SSH key',
    { type: 'kubernetes.io/ssh-auth', data: { 'ssh-privatekey': '' } },
    'data[ssh-privatekey]: Required value',
  ],
  ['a TLS pair, empty', { type: 'kubernetes.io/tls', data: { 'tls.crt': '', 'tls.key': '' } }, ''],
  ['no TLS key', { type: 'kubernetes.io/tls', data: { 'tls.crt': '' } }, 'data[tls.key]: Required value'],
])('%s', (_what, fields, message) => {
  expect(aggregateFieldErrors(strategy.validate(context, secret(fields)))).toBe(message);
});

describe('update', () => {
  const validate = (fields: Partial<Secret>, old: Partial<Secret>) =>
    aggregateFieldErrors(strategy.validateUpdate(context, secret(fields), secret(old)));

  it('keeps the type', async () => {
    expect(validate({ type: 'other' }, {})).toBe('type: Invalid value: "other": field is immutable');
    const { type: _, ...untyped } = secret();
    const draft: Secret = untyped;
    await strategy.prepareForUpdate?.(context, draft, secret({ type: 'other' }));
    expect(draft.type).toBe('other');
  });

  it('keeps what is immutable', () => {
    const old = { immutable: true, data: { a: 'AA==' } };
    expect(validate(old, old)).toBe('');
    expect(validate({ data: { a: 'BB==' } }, old)).toBe(
      '[immutable: Forbidden: field is immutable when `immutable` is set, data: Forbidden: field is immutable when `immutable` is set]',
    );
  });
});

it('warns of an invalid TLS pair', () => {
  const data = { 'tls.crt': '', 'tls.key': '' };
  const fault = ['tls: failed to find any PEM data in certificate input'];
  expect(strategy.warningsOnCreate?.(context, secret({ type: 'kubernetes.io/tls', data }))).toEqual(fault);
  expect(strategy.warningsOnUpdate?.(context, secret({ data }), secret())).toEqual([]);
});

it('defaults its type, and moves stringData into data', () => {
  const [version] = secrets.versions;
  const { type: _, ...untyped } = secret({ data: { a: 'AA==', b: 'AA==' }, stringData: { b: 'ü', __proto__x: '' } });
  const draft: Secret = untyped;
  version?.applyDefaults?.(draft);
  version?.normalize?.(draft);
  expect(draft).toEqual(secret({ data: { a: 'AA==', b: base64('ü'), __proto__x: '' } }));
});

it('defaults an empty type', () => {
  const draft = secret({ type: '' });
  secrets.versions[0]?.applyDefaults?.(draft);
  expect(draft.type).toBe('Opaque');
});

it('shows type and count, and can be selected by type', () => {
  const shown = secret({ data: { a: '', b: '' } });
  expect(secrets.columns.map((column) => column.cell(shown, rowTime(0)))).toEqual(['a', 'Opaque', 2, '<unknown>']);
  expect(secrets.selectableFields?.(shown)).toEqual({ type: 'Opaque' });
});
