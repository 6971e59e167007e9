import { expect, it } from 'vitest';
import { newRestConfig, type RestConfigFields } from './rest-config.js';

const server = new URL('https://10.0.0.1:6443');
const headers = (fields: Partial<RestConfigFields>) => newRestConfig({ server, ...fields }).credentials();
const nobody = { user: 'alice', uid: '', groups: [], extra: {} };

it.each<[string, Partial<RestConfigFields>, object]>([
  ['nothing', {}, {}],
  ['a token', { token: () => ' t\n' }, { authorization: 'Bearer t' }],
  ['a token before a password', { token: () => 't', basic: 'u:p' }, { authorization: 'Bearer t' }],
  ['a password for an empty token', { token: () => '\n', basic: 'u:p' }, { authorization: 'Basic dTpw' }],
  ['another user', { impersonation: nobody }, { 'impersonate-user': 'alice' }],
  [
    'all of another user',
    { impersonation: { ...nobody, uid: '7', groups: ['a', 'b'], extra: { 'X/Ü': ['1', '2'], plain: [] } } },
    {
      'impersonate-user': 'alice',
      'impersonate-uid': '7',
      'impersonate-group': ['a', 'b'],
      'impersonate-extra-x%2F%C3%BC': ['1', '2'],
      'impersonate-extra-plain': [],
    },
  ],
  ['nothing without TLS', { server: new URL('http://a'), token: () => 't', impersonation: nobody }, {}],
])('proves %s', (_what, fields, expected) => {
  expect(headers(fields)).toEqual(expected);
});

it('has the same transport until a text changes', () => {
  const texts = { ca: 'CA', certificate: 'CERT', key: 'KEY' };
  const config = newRestConfig({
    server,
    ca: () => texts.ca,
    certificate: () => texts.certificate,
    key: () => texts.key,
  });
  let last = config.transport();
  expect(last).toEqual({ ca: 'CA', certificate: 'CERT', key: 'KEY', verify: true, connectTimeout: 30_000 });
  for (const name of ['ca', 'certificate', 'key'] as const) {
    expect(config.transport()).toBe(last);
    texts[name] = 'new';
    const next = config.transport();
    expect(next).toEqual({ ...last, [name]: 'new' });
    last = next;
  }
});

it('takes over how to connect', () => {
  const dial = () => Promise.reject(new Error('no network'));
  const config = newRestConfig({ server, verify: false, serverName: 'core', dial });
  expect(config.transport()).toEqual({
    ca: '',
    certificate: '',
    key: '',
    verify: false,
    serverName: 'core',
    connectTimeout: 30_000,
    dial,
  });
  expect(config.server).toBe(server);
});
