import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import type { AuthorizationConfiguration } from '@apiserver/authorization/configuration';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { afterAll, expect, it } from 'vitest';
import { reloadMetrics } from './authorization-metrics.js';
import { FollowedConfiguration } from './followed-configuration.js';

const folder = mkdtempSync(join(tmpdir(), 'followed-'));
afterAll(() => rmSync(folder, { recursive: true }));

const configurationOf = (type: string): AuthorizationConfiguration => ({ authorizers: [{ type, name: type }] });

it('is remote while its chain is', async () => {
  const file = join(folder, 'authz.yaml');
  const followed = new FollowedConfiguration(
    { content: Buffer.from('RBAC'), configuration: configurationOf('RBAC') },
    {
      file,
      load: (content) => configurationOf(String(content)),
      chainOf: ({ authorizers }) => ({
        authorizer: {
          isRemote: authorizers[0]?.type === 'Webhook',
          authorize: () => ({ decision: 'Allow', reason: authorizers[0]?.type ?? '' }),
        },
        ruleResolver: {
          rulesFor: async () => ({ resourceRules: [], nonResourceRules: [], incomplete: false, errors: [] }),
        },
      }),
      metrics: reloadMetrics(new MetricsRegistry({ withProcess: false }), '', () => 0),
      logger: createTestLogger().logger,
    },
  );
  expect(followed.authorizer.isRemote).toBe(false);
  writeFileSync(file, 'Webhook');
  await followed.check();
  expect(followed.authorizer.isRemote).toBe(true);
  // A pipe that nobody writes to.
  rmSync(file);
  execFileSync('mkfifo', [file]);
  await followed.check();
  expect(followed.authorizer.isRemote).toBe(false);
});
