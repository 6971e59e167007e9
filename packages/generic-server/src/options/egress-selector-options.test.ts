import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@apiserver/apimachinery/clock';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { StartupError } from '@apiserver/component-base/process';
import { afterAll, expect, it } from 'vitest';
import { EgressSelectorOptions } from './egress-selector-options.js';

const folder = mkdtempSync(join(tmpdir(), 'egress-options-'));
afterAll(() => rmSync(folder, { recursive: true }));

const head = 'apiVersion: apiserver.k8s.io/v1beta1\nkind: EgressSelectorConfiguration\n';
const create = (text: string) => {
  const configFile = join(folder, 'egress.yaml');
  writeFileSync(configFile, text);
  const options = Object.assign(new EgressSelectorOptions(), { configFile });
  return options.create({ metrics: new MetricsRegistry(), clock: systemClock });
};

it('makes dialers only of a file', async () => {
  const without = new EgressSelectorOptions();
  expect(await without.create({ metrics: new MetricsRegistry(), clock: systemClock })).toBeUndefined();
  const direct = `${head}egressSelections: [{name: cluster, connection: {proxyProtocol: Direct}}]\n`;
  expect(await create(direct)).toBeDefined();
});

it.each([
  ['cannot be decoded', 'kind: Pod\n', 'failed to read egress selector config: '],
  [
    'is not valid',
    `${head}egressSelections: [{name: cluster, connection: {proxyProtocol: Carrier}}]\n`,
    'failed to validate egress selector configuration: service.connection.protocol: Unsupported value: "Carrier"',
  ],
])('refuses a file that %s', async (_, text, message) => {
  const failure = await create(text).catch((error: unknown) => error);
  expect([failure instanceof StartupError, String(failure)]).toEqual([true, expect.stringContaining(message)]);
});
