import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { newServerContext } from './server-context.js';

it('makes no server among the classes of a browser', () => {
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(newServerContext({ logger: silentLogger })).toBeDefined();
  vi.stubGlobal('Uint8Array', class {});
  expect(() => newServerContext({ logger: silentLogger })).toThrow(
    'run a test with a server in the environment "node"',
  );
});
