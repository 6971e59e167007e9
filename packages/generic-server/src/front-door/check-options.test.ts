import { createMemoryStore } from '@apiserver/registry-store/memory';
import { expect, it } from 'vitest';
import { RecommendedOptions } from '../options/recommended-options.js';
import type { ApiServerOptions } from './api-server-options.js';
import { checkOptions } from './check-options.js';

const storage = createMemoryStore();
const valid = { groups: [], storage };

it.each<[unknown, string]>([
  [undefined, 'groups: must be a list of groups with resources'],
  [{ storage }, 'groups: must be a list of groups with resources'],
  [{ ...valid, groups: [{ kinds: [] }] }, 'groups: must be a list of groups with resources'],
  [{ groups: [] }, 'storage: must be an open KeyValueStore'],
  [{ ...valid, storage: Promise.resolve(storage) }, 'storage: must be an open KeyValueStore'],
  [{ ...valid, authentication: {} }, 'authentication: must be an Authenticator, or options that apply one'],
  [{ ...valid, authorization: 'RBAC' }, 'authorization: must be an Authorizer, or options that apply one'],
  [{ ...valid, port: 443, host: 'a' }, 'unknown options of createApiServer: port, host (known: '],
])('refuses %o', (options, message) => {
  expect(() => checkOptions(options as ApiServerOptions)).toThrow(
    expect.objectContaining({ name: 'StartupError', message: expect.stringContaining(message) }),
  );
});

it.each<[string, ApiServerOptions]>([
  ['no more than groups and storage', valid],
  ['the options of an extension server', { ...valid, ...new RecommendedOptions() }],
  ['an authorizer', { ...valid, authorization: { authorize: () => ({ decision: 'Allow', reason: '' }) } }],
])('accepts %s', (_, options) => {
  expect(() => checkOptions(options)).not.toThrow();
});
