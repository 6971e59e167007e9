import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { managerIdentifier, parseManagerIdentifier } from './manager-identifier.js';

describe('managerIdentifier', () => {
  it.each([
    [
      { manager: 'm', operation: 'Update', apiVersion: 'apps/v1', subresource: '' },
      '{"manager":"m","operation":"Update","apiVersion":"apps/v1"}',
    ],
    [
      { manager: 'm', operation: 'Apply', apiVersion: 'v1', subresource: 'status' },
      '{"manager":"m","operation":"Apply","subresource":"status"}',
    ],
    [
      { manager: 'a"b', operation: 'Apply', apiVersion: '', subresource: '' },
      '{"manager":"a\\"b","operation":"Apply"}',
    ],
  ])('%j', (identity, identifier) => {
    expect(managerIdentifier(identity)).toBe(identifier);
    const apiVersion = identity.operation === 'Apply' ? '' : identity.apiVersion;
    expect(parseManagerIdentifier(identifier)).toEqual({ ...identity, apiVersion });
  });

  it('distinguishes different managers, even after many have come and gone', () => {
    const identities = Array.from({ length: 300 }, (_, i) => ({
      manager: `m${i % 50}`,
      operation: i % 3 === 0 ? 'Apply' : 'Update',
      apiVersion: `v${i % 7}`,
      subresource: i % 2 === 0 ? '' : 'status',
    }));
    const said = [...identities, ...identities].map((identity) => parseManagerIdentifier(managerIdentifier(identity)));
    const expected = identities.map((one) => (one.operation === 'Apply' ? { ...one, apiVersion: '' } : one));
    expect(said).toEqual([...expected, ...expected]);
  });

  it('retains neither long texts nor the strings that short ones are slices of', () => {
    const before = usedHeap();
    for (let i = 0; i < 60; i++) {
      const body = `${i}`.padEnd(1_000_000, `${i} manager-of-${i} `);
      managerIdentifier({ manager: body.slice(100, 130), operation: 'Update', apiVersion: 'v1', subresource: '' });
      managerIdentifier({ manager: 'm', operation: 'Apply', apiVersion: body, subresource: '' });
    }
    expect(usedHeap() - before).toBeLessThan(10_000_000);
  });
});

function usedHeap(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}
