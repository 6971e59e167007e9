import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { afterEach, expect, it, vi } from 'vitest';
import { createInProcessExchange } from '../testing/call-handler.js';
import { buildHandlerChain } from './handler-chain.js';
import { requestDeadline } from './request-deadline.js';
import { overdue, timeout } from './timeout.js';

afterEach(() => {
  vi.restoreAllMocks();
});

it.each([
  ['1ns', 504],
  ['999us', 504],
  ['1ms', 200],
  ['1h', 200],
])('a request that asks for %s gets %i', async (duration, expected) => {
  const { logger } = createTestLogger();
  const exchange = createInProcessExchange({ url: `/api/v1/pods?timeout=${duration}` });
  vi.spyOn(performance, 'now').mockReturnValue(exchange.context.startedAt);
  const onTimeout = vi.fn();
  const handler = vi.fn(() => ({ type: 'bytes' as const, status: 200, body: undefined }));
  const deadline = requestDeadline({ longRunning: () => false, requestTimeout: 60_000, logger });
  const chain = [deadline, timeout({ logger, onTimeout }), overdue()];
  const { status } = await buildHandlerChain(handler, chain)(exchange);
  exchange.finish({ status: expected, bytesWritten: 0, aborted: false });
  const calls = [handler.mock.calls.length, onTimeout.mock.calls.length];
  expect([status, ...calls]).toEqual(expected === 504 ? [504, 0, 1] : [200, 1, 0]);
});
