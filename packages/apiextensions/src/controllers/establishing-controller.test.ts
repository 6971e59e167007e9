import { setTimeout } from 'node:timers/promises';
import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { ManualClock } from '@apiserver/apimachinery/testing';
import { expect, it, vi } from 'vitest';
import { findCondition } from '../custom-resource-definition/types.js';
import { startInMemory } from '../testing/memory-server.js';
import { DEFINITIONS, definitionOfT } from '../testing/start-defined.js';

/** Milliseconds that a write takes at most, unless the machine is busy. */
const WRITE_MS = 200;
const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];

/** Upstream: updateCustomResourceDefinition of pkg/apiserver/customresource_handler.go */
it('establishes a definition five seconds after its names, beside other servers', async () => {
  const clock = new ManualClock();
  const server = startInMemory({ clock, serverCount: 2 });
  await server.started;
  const condition = async (type: 'NamesAccepted' | 'Established') => {
    const { json } = await server.ask({ method: 'GET', path: `${DEFINITIONS}/ts.g.io` });
    const found = findCondition(json as CustomResourceDefinition, type);
    return [found?.status, found?.reason];
  };
  const listed = async () => (await server.ask({ method: 'GET', path: '/apis/g.io/v1/ts' })).code;
  await server.ask({ method: 'POST', path: DEFINITIONS, body: JSON.stringify(definitionOfT(versions)) });
  await vi.waitFor(async () => expect(await listed()).toBe(200), { timeout: 30_000 });
  expect(await condition('NamesAccepted')).toEqual(['True', 'NoConflicts']);
  clock.advance(4_999);
  // A controller that waits for less time would write now.
  await setTimeout(WRITE_MS);
  expect(await condition('Established')).toEqual(['False', 'Installing']);
  clock.advance(1);
  await vi.waitFor(async () => expect(await condition('Established')).toEqual(['True', 'InitialNamesAccepted']), {
    timeout: 30_000,
  });
  await server.stop();
});
