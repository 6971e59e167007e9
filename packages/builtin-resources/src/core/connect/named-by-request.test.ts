import { newConflict, newNotFound } from '@apiserver/apimachinery/errors';
import { expect, it } from 'vitest';
import { namedByRequest } from './named-by-request.js';

const NODES = { group: '', resource: 'nodes' };

it('reports a missing object under the requested resource, and other errors unchanged', async () => {
  const lookup = (error: Error) =>
    namedByRequest('pods', 'a', Promise.reject(error)).catch((failure: Error) => failure.message);
  expect([
    await lookup(newNotFound(NODES, 'n')),
    await lookup(newConflict(NODES, 'n', 'why')),
    await namedByRequest('pods', 'a', Promise.resolve(1)),
  ]).toEqual(['pods "a" not found', 'Operation cannot be fulfilled on nodes "n": why', 1]);
});
