import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { afterAll, expect, it } from 'vitest';
import { inClusterConfig, NotInClusterError } from './in-cluster-config.js';

const directory = mkdtempSync(join(tmpdir(), 'in-cluster-'));
afterAll(() => rmSync(directory, { recursive: true }));

const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
const write = (name: string, text: string) => writeFileSync(join(directory, name), text);

it('is the service account of a pod, whose token is renewed', () => {
  write('token', 'first');
  write('ca.crt', 'CA');
  let now = 1_000_000;
  const { logger } = createTestLogger();
  const config = inClusterConfig({ environment, directory, logger, now: () => now });
  expect([String(config.server), config.transport().ca]).toEqual(['https://[fd00::1]/', 'CA']);
  write('token', 'second');
  expect(config.credentials()).toEqual({ authorization: 'Bearer first' });
  now += 60_000;
  expect(config.credentials()).toEqual({ authorization: 'Bearer second' });
});

it.each([
  [{}],
  [{ KUBERNETES_SERVICE_HOST: 'fd00::1' }],
  [{ KUBERNETES_SERVICE_PORT: '443' }],
  [{ ...environment, KUBERNETES_SERVICE_PORT: '' }],
])('says that there is no cluster with %j', (environment) => {
  write('token', 'first');
  const { logger } = createTestLogger();
  expect(() => inClusterConfig({ environment, directory, logger, now: () => 0 })).toThrow(
    expect.objectContaining({
      name: 'NotInClusterError',
      constructor: NotInClusterError,
      message:
        'unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined',
    }),
  );
});

it('needs a token, and logs that there are no authorities', () => {
  rmSync(join(directory, 'token'), { force: true });
  rmSync(join(directory, 'ca.crt'), { force: true });
  const { logger, lines } = createTestLogger();
  const load = () => inClusterConfig({ environment, directory, logger, now: () => 0 });
  expect(load).toThrow(`open ${join(directory, 'token')}: no such file or directory`);
  write('token', 'first');
  expect(load().transport().ca).toBe('');
  expect(lines).toMatchObject([
    { level: 'error', message: 'Expected to load root CA config', fields: { path: join(directory, 'ca.crt') } },
  ]);
});
