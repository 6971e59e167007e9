import { ControlPlaneError } from '@apiserver/test-powers';
import { expect, it } from 'vitest';
import { kubeConfigOf } from './client-node.js';

/** The KubeConfig of @kubernetes/client-node 1, whose requests have agents. */
class OldKubeConfig {
  loadFromString(): void {}

  async applySecurityAuthentication(context: { setAgent?(agent: object): void; setDispatcher(): void }): Promise<void> {
    context.setAgent?.({});
  }
}

const access = { kubeconfig: '', fetch: () => Promise.reject(new Error('not called')), impersonatesGroups: false };
const oldRequest = { setAgent: () => {} } as unknown as { setDispatcher(): void };

it('names the remedy if requests of a client cannot stay in the process', async () => {
  const config = kubeConfigOf(access, OldKubeConfig);
  await expect(config.applySecurityAuthentication(oldRequest)).rejects.toEqual(
    new ControlPlaneError(
      'a client without a socket needs @kubernetes/client-node 2 or later; older ones work with the option { socket: true }',
    ),
  );
});

it('leaves a client with a socket alone', async () => {
  const config = kubeConfigOf(access, OldKubeConfig, { socket: true });
  await expect(config.applySecurityAuthentication(oldRequest)).resolves.toBeUndefined();
});
