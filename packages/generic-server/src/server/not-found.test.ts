import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { expect, it } from 'vitest';
import { LifecycleSignal } from '../lifecycle/lifecycle-signal.js';
import { callHandler } from '../testing/call-handler.js';
import { notFoundWhenComplete } from './not-found.js';

it('asks clients to retry until all paths are installed', async () => {
  const complete = new LifecycleSignal();
  const handler = notFoundWhenComplete(complete, createTestLogger().logger);
  const early = await callHandler(handler, { url: '/apis/example.com/v1/widgets' });
  expect([early.status, early.headers['retry-after'], JSON.parse(early.body)]).toEqual([
    503,
    '5',
    {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'the request has been made before all known HTTP paths have been installed, please try again',
      reason: 'ServiceUnavailable',
      details: { retryAfterSeconds: 5 },
      code: 503,
    },
  ]);
  complete.signal();
  expect(await callHandler(handler, { url: '/nothing' })).toMatchObject({ status: 404, body: '404 page not found\n' });
});
