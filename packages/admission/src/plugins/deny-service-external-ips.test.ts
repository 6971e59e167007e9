import type { Service } from '@apiserver/api/core/v1';
import { expect, it } from 'vitest';
import { objectAttributes } from '../testing/attributes.js';
import { runPlugin } from '../testing/run-plugin.js';
import { denyServiceExternalIPs } from './deny-service-external-ips.js';

const service = (...externalIPs: string[]): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's', namespace: 'ns' },
  spec: { externalIPs },
  status: { loadBalancer: {} },
});

it.each<[string[], string[] | undefined, boolean]>([
  [[], undefined, true],
  [['1.1.1.1'], undefined, false],
  [['1.1.1.1'], ['1.1.1.1', '2.2.2.2'], true],
  [['1.1.1.1', '3.3.3.3'], ['1.1.1.1'], false],
])('%j, where there was %j', async (now, before, isAllowed) => {
  const changes = before === undefined ? {} : { oldObject: service(...before) };
  const object = service(...now);
  const refused = 'services "s" is forbidden: Use of external IPs is denied by admission control';
  expect(await runPlugin(denyServiceExternalIPs(), objectAttributes('services', object, changes))).toEqual(
    isAllowed ? { object } : { refused },
  );
});
