import { silentLogger } from '@apiserver/generic-server';
import { expect, it } from 'vitest';
import { type AccessedPlane, PlaneAccess } from './plane-access.js';

it('makes the kubeconfig when it is first read', () => {
  let reads = 0;
  const plane: AccessedPlane = {
    get url() {
      reads++;
      return 'https://127.0.0.1:1';
    },
    authority: 'authority',
    handler: () => Promise.reject(new Error('no request')),
    logger: silentLogger,
    now: () => 0,
    folder: { path: '' },
    isStopped: () => false,
  };
  const access = new PlaneAccess('alice', plane, { token: 'secret' });
  expect(reads).toBe(0);
  expect(access.kubeconfig).toContain('server: https://127.0.0.1:1\n');
  const again = access.kubeconfig;
  expect([again, reads]).toEqual([access.kubeconfig, 1]);
});
