import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { expect, it, vi } from 'vitest';
import { createTracer } from './create-tracer.js';

// The program has another @grpc/grpc-js than the exporter, or none.
vi.mock('@grpc/grpc-js', () => ({
  get credentials(): never {
    throw new Error('of another version');
  },
}));

const tracer = (endpoint: string) =>
  createTracer({ configuration: { endpoint }, service: 's', instance: 'i', logger: createTestLogger(0).logger });

it('traces to an address without it', async () => {
  await using made = await tracer('127.0.0.1:1');
  expect(made.startFilter('Authentication')).toBeDefined();
});

it('needs it for a unix socket', async () => {
  await expect(tracer('unix:/run/otel.sock')).rejects.toThrow('of another version');
});
