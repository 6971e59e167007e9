import { expect, it } from 'vitest';
import { startApiServer } from '../harness/api-server.ts';
import { fabric8Missing, useServerFromJava } from './fabric8-client.ts';

const missing = fabric8Missing();

it.skipIf(missing !== undefined)(
  `fabric8’s client (Java) loads the kubeconfig, lists, creates and reads${missing ? ` (skipped: ${missing})` : ''}`,
  { timeout: 120_000 },
  async () => {
    await using server = await startApiServer();
    expect(await useServerFromJava(server.kubeconfig)).toEqual([
      'default',
      'kube-node-lease',
      'kube-public',
      'kube-system',
      'Java',
    ]);
  },
);
