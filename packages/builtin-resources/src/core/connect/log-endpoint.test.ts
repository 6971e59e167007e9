import type { PodLogOptions } from '@apiserver/api/core/v1';
import { messageOf } from '@apiserver/apimachinery/errors';
import { testContext } from '@apiserver/registry-store/testing';
import { expect, it, vi } from 'vitest';
import { testFeatures, testGroupDependencies } from '../../testing/group-dependencies.js';
import type { ConnectionOptions } from './connections.js';
import { logEndpoint } from './log-endpoint.js';

const asked = vi.hoisted((): string[] => []);
vi.mock('@apiserver/proxy', () => ({
  openStream: async ({ rawQuery }: { readonly rawQuery: string }) => void asked.push(rawQuery),
}));

type Sent = Omit<PodLogOptions, 'apiVersion' | 'kind'>;

/** The query that the kubelet gets, or the refusal. */
async function askedWith(sent: Sent, gates: Readonly<Record<string, boolean>>): Promise<string> {
  const log = { apiVersion: 'v1', kind: 'PodLogOptions', ...sent };
  const { connections } = testGroupDependencies();
  const status = { addresses: [{ type: 'Hostname', address: 'h' }] };
  const options = {
    ...connections,
    kubelet: { ...connections.kubelet, preferredAddressTypes: ['Hostname'] },
    objects: {
      ...connections.objects,
      pod: async () => ({ metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c' }] } }),
      node: async () => ({ status }),
    },
    features: testFeatures(gates),
  } as unknown as ConnectionOptions;
  asked.length = 0;
  try {
    await logEndpoint(options).open(testContext({ namespace: 'ns' }), 'p', log);
  } catch (error) {
    return messageOf(error);
  }
  return asked.join();
}

const ON = { PodLogsQuerySplitStreams: true };
const INVALID = 'PodLogOptions "p" is invalid:';

it.each<[string, Sent, Readonly<Record<string, boolean>>, string]>([
  ['a stream, without the gate', { stream: 'Stdout' }, {}, `${INVALID} stream: Forbidden: may not be specified`],
  ['no stream, without the gate', { tailLines: 3 }, {}, 'tailLines=3'],
  ['no stream', { tailLines: 3 }, ON, 'stream=All&tailLines=3'],
  ['one stream', { follow: true, stream: 'Stderr' }, ON, 'follow=true&stream=Stderr'],
  [
    'the last lines of one stream',
    { tailLines: 3, stream: 'Stdout' },
    ON,
    `${INVALID} []: Forbidden: \`tailLines\` and specific \`stream\` are mutually exclusive for now`,
  ],
  [
    'an unknown stream',
    { stream: 'stdout' },
    ON,
    `${INVALID} stream: Unsupported value: "stdout": supported values: "All", "Stderr", "Stdout"`,
  ],
])('asks the kubelet for %s', async (_, log, gates, expected) => {
  expect(await askedWith(log, gates)).toBe(expected);
});
